import type { BrowserContext, Frame, Page } from "playwright-core";
import { URL_ } from "./fan.ts";
import { until } from "./wait.ts";

/** The origin of a partner's page that may show every event; another site than ours. */
export const PARTNER = process.env.PLATEIA_PARTNER ?? "";

/** What the host of a frame does, without our element: makes the frame, connects, keeps what it hears. */
const HOST = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A venue</title>
<style>body { margin: 0; font-family: serif } h1 { margin: 0; font-size: 1rem } iframe { width: 100%; height: 90vh; border: 0 }</style>
<h1>A venue's page</h1><iframe id="frame"></iframe>
<script>
  const frame = document.getElementById("frame"), ours = "${URL_}";
  let port = null;
  window.got = [];
  window.say = (message) => port.postMessage(message);
  frame.onload = () => {
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = (e) => window.got.push(e.data);
    frame.contentWindow.postMessage({ plateia: 1, type: "connect" }, ours, [channel.port2]);
  };
  frame.src = ours + location.hash.slice(1);
</script></html>`;

export type Heard = { type: string } & Record<string, unknown>;

/** Serves the host's page at an origin of this context's web; nothing has to listen there. */
export const serveHost = (context: BrowserContext, origin = PARTNER): Promise<unknown> =>
  context.route(`${origin}/host`, (r) => r.fulfill({ contentType: "text/html; charset=utf-8", body: HOST }));

/** For launch(): a page that a test serves has no address on this machine's network, and may have frames that do. */
export const HOSTED = "--disable-features=LocalNetworkAccessChecks";

/** Opens the host's page with our frame at this path. */
export async function openHost(page: Page, path: string, origin = PARTNER): Promise<Frame> {
  await page.goto(`${origin}/host#${path}`);
  return frameOf(page);
}

/** Our frame in the host's page. */
export const frameOf = (page: Page): Promise<Frame> =>
  until("no frame", async () => page.frames().find((f) => f.url().startsWith(`${URL_}/embed/v1/`)));

/** All that the host has heard of one type. */
export const heard = (page: Page, type: string): Promise<Heard[]> =>
  page.evaluate((t) => (window as unknown as { got: Heard[] }).got.filter((m) => m.type === t), type);

/** Waits until the newest message of a type is right. */
export const hears = (page: Page, type: string, is: (message: Heard) => boolean = () => true): Promise<Heard> =>
  until(`the host does not hear ${type}`, async () => {
    const last = (await heard(page, type)).at(-1);
    return last && is(last) ? last : undefined;
  });

export const say = (page: Page, message: object): Promise<void> => page.evaluate((m) => (window as unknown as { say(m: object): void }).say(m), message);

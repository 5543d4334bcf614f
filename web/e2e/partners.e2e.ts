import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { stadium, URL_ } from "./fan.ts";
import { PARTNER } from "./host.ts";
import { until } from "./wait.ts";

const stranger = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<!doctype html><title>x</title><main>a stranger's</main>"));
let browser: Browser;
before(async () => {
  browser = await launch();
  await new Promise<void>((done) => stranger.listen(0, "127.0.0.1", done));
});
afterEach(closeFans);
after(async () => {
  await browser.close();
  stranger.close();
});

/** What a page of this origin gets of ours: public data, both ways of the live map, a frame, and what it may not have. */
async function triesAll(page: Page, event: string): Promise<Record<string, string>> {
  const got = await page.evaluate(async ({ ours, event }) => {
    const base = `${ours}/v1/events/${event}`;
    const fetched = async (url: string, init?: RequestInit): Promise<Response | null> => {
      for (let tries = 1; ; tries++) {
        const answer = await fetch(url, init).catch(() => null);
        if (answer?.status !== 503 || tries === 100) return answer;
        await new Promise((done) => setTimeout(done, 500)); // "one moment", says a product on a busy machine
      }
    };
    const ask = async (url: string, init?: RequestInit): Promise<string> => {
      const answer = await fetched(url, init);
      void answer?.body?.cancel();
      return answer ? String(answer.status) : "refused";
    };
    const chartOf = async (): Promise<string> => {
      const answer = await fetched(base);
      return answer ? ask(ours + ((await answer.json()) as { chart: { url: string } }).chart.url) : "refused";
    };
    const socket = new Promise<string>((done) => {
      const ws = new WebSocket(`${base.replace(/^http/, "ws")}/live`, "plateia.v1");
      ws.onopen = () => (done("open"), ws.close());
      ws.onerror = () => done("refused");
    });
    const frame = document.createElement("iframe");
    frame.src = `${ours}/embed/v1/desk/${event}`;
    const loaded = new Promise((done) => (frame.onload = done));
    document.body.append(frame);
    const [reads, chart, streams, listens, posts, withToken] = await Promise.all([
      ask(base), chartOf(),
      ask(`${base}/live`, { headers: { Accept: "text/event-stream" } }), socket,
      ask(`${base}/holds`, { method: "POST", headers: { "Content-Type": "text/plain" }, body: "{}" }),
      ask(`${ours}/v1/me`, { headers: { Authorization: "Bearer x" } }),
    ]);
    await loaded;
    const { origins } = (await (await fetched(`${base}/embed`))!.json()) as { origins: string[] };
    return { reads, chart, streams, listens, posts, withToken, listed: String(origins.includes(location.origin)) };
  }, { ours: URL_, event });
  const frame = await until("the frame ended nowhere", async () => page.frames().find((f) => f.parentFrame() && f.url() !== "about:blank" && f.url() !== ""));
  return { ...got, frame: frame.url().startsWith(`${URL_}/embed/v1/desk/`) ? "shown" : "refused" };
}

test("a partner's page has what is public, a stranger's page has nothing, and neither acts for the fan", async () => {
  const { eventId } = await stadium();
  const { page } = await newFan(browser);
  const never = { posts: "refused", withToken: "refused" };
  await page.goto(`${PARTNER}/nothing-here`);
  assert.deepEqual(await triesAll(page, eventId), { reads: "200", chart: "200", streams: "200", listens: "open", frame: "shown", listed: "true", ...never });
  await page.goto(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`);
  assert.deepEqual(await triesAll(page, eventId), { reads: "refused", chart: "refused", streams: "refused", listens: "refused", frame: "refused", listed: "false", ...never });
});

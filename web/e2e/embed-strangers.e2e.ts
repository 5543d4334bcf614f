import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan } from "./browser.ts";
import { signIn, stadium, URL_ } from "./fan.ts";
import { heard, hears, HOSTED, openHost, PARTNER, say, serveHost } from "./host.ts";
import { until } from "./wait.ts";

// Whoever is not the host says what the host would say, and what our own pages would.

let browser: Browser;
before(async () => void (browser = await launch({ args: [HOSTED] })));
afterEach(closeFans);
after(() => browser.close());

const STRANGER = "http://localhost:1";

/** A page of somebody else's, with these words in it. */
const serve = (page: Page, path: string, body: string): Promise<unknown> => page.context().route(`${STRANGER}${path}`, (r) =>
  r.fulfill({ contentType: "text/html; charset=utf-8", body: `<!doctype html><meta charset="utf-8"><title>x</title>${body}` }));

/** Everything that could be taken for a hand-over, with a session that its sender wants a fan to have. */
const FORGE = `
  const id = "0197a5b2-7c1d-7def-8abc-0123456789ab", at = new Date(Date.now() + 3600e3).toISOString();
  async function forgeries() {
    const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
    const session = { sessionToken: "planted", expiresAt: at, account: { accountId: id, email: "evil@example.com" } };
    const all = [];
    for (const nonce of ["", "0".repeat(32), window.nonce]) all.push({ plateia: 1, type: "hand-over", nonce, session, keys: { privateKey: keys.privateKey, publicKey: keys.publicKey }, event: id, access: null, order: id });
    return all;
  }`;

/** What a window of ours keeps, and whether it has left the payment's page. */
const planted = (page: Page): Promise<[string, string[]]> => page.evaluate(() => [location.pathname, Object.keys(localStorage).filter((k) => k === "plateia.session")]);

test("a stranger who opens or frames the payment's window gets nothing, and cannot put a session into it", async () => {
  const { page } = await newFan(browser);
  await serve(page, "/open", `<script>${FORGE}
    window.got = [];
    addEventListener("message", (e) => { got.push(e.data); if (e.data && e.data.nonce) window.nonce = e.data.nonce; });
    window.go = async () => {
      const popup = window.open("${URL_}/embed/v1/pay", "plateia-pay");
      const all = await forgeries();
      for (let i = 0; i < 40; i++) {
        for (const m of all) for (const target of ["*", "${URL_}"]) popup.postMessage(m, target);
        await new Promise((done) => setTimeout(done, 50));
      }
      return got.length;
    };
  </script><iframe src="${URL_}/embed/v1/pay"></iframe>`);
  await page.goto(`${STRANGER}/open`);
  const [popup, got] = await Promise.all([page.context().waitForEvent("page"), page.evaluate(() => (window as unknown as { go(): Promise<number> }).go())]);
  await popup.getByText("There is nothing to pay here").waitFor();
  assert.equal(got, 0);
  assert.deepEqual(await planted(popup), ["/embed/v1/pay", []]);
  assert.equal(page.frames().filter((f) => f.url().startsWith(URL_)).length, 0);

  // The stranger's window goes on to a page of ours: the payment's window, loaded again, then has an opener at our origin.
  await page.evaluate((url) => location.assign(url), `${URL_}/embed/v1/pay`);
  await page.getByText("There is nothing to pay here").waitFor();
  await popup.evaluate(() => location.reload());
  await popup.getByText("Opening your payment").waitFor();
  await popup.waitForFunction(() => performance.now() > 1500);
  assert.deepEqual(await planted(popup), ["/embed/v1/pay", []]);

  // Our frame as a page of its own has no windows, says where to go and connects to nobody.
  const { eventId } = await stadium();
  await page.evaluate((url) => location.assign(url), `${URL_}/embed/v1/desk/${eventId}`);
  await page.waitForSelector(`a[href="/events/${eventId}"]`);
  await popup.evaluate(() => location.reload());
  await popup.getByText("There is nothing to pay here").waitFor();
  const alone = await page.context().newPage();
  await alone.goto(`${URL_}/embed/v1/pay`); // by the address: nobody has opened it
  await alone.getByText("There is nothing to pay here").waitFor();
});

test("forged messages are not heard: from the host's other frames, from another window, from windows of our own origin", async () => {
  const { page, trouble } = await newFan(browser), context = page.context();
  await serveHost(context);
  await serve(page, "/inner", `<script>${FORGE}
    window.shout = async (to) => {
      const words = [{ plateia: 1, type: "connect" }, { type: "best", quantity: 1 }, { type: "theme", scheme: "dark" }, { plateia: 1, type: "pay-ready", nonce: "0".repeat(32) }, ...await forgeries()];
      window.ports = words.flatMap((m) => { const c = new MessageChannel(); c.port1.onmessage = (e) => (window.heard = e.data); to.postMessage(m, "*", [c.port2]); c.port1.postMessage({ type: "best", quantity: 1 }); return [c.port1]; });
    };
  </script>`);
  const { eventId } = await stadium();
  const frame = await openHost(page, `/embed/v1/desk/${eventId}`);
  await hears(page, "ready");

  await page.evaluate(async (src) => { // a sibling of our frame
    const inner = document.createElement("iframe");
    document.body.append(inner);
    inner.src = src;
    await new Promise((done) => (inner.onload = done));
  }, `${STRANGER}/inner`);
  const inner = await until("no inner frame", async () => page.frames().find((f) => f.url().endsWith("/inner"))); // the driver hears of it in its own time
  await inner.evaluate(() => (window as unknown as { shout(to: Window): Promise<void> }).shout(window.parent.frames[0]!));
  await page.evaluate(() => { // the host itself: a second port, and words beside the port
    const c = new MessageChannel(), to = document.querySelector("iframe")!.contentWindow!;
    to.postMessage({ plateia: 1, type: "connect" }, "*", [c.port2]);
    to.postMessage({ type: "best", quantity: 1 }, "*");
    c.port1.postMessage({ type: "best", quantity: 1 });
  });
  await say(page, { type: "best", quantity: "1" });
  await say(page, { type: "choose", seats: ["x"], areas: [] });
  const email = await signIn(frame as never); // none of these asks was heard: nothing is held
  await frame.waitForSelector("#counter-title");
  assert.equal(await inner.evaluate(() => (window as unknown as { heard?: unknown }).heard), undefined);
  assert.deepEqual((await heard(page, "hold")).filter((m) => m.hold !== null), []);
  assert.equal(await frame.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "light dark");

  // The payment: the frame answers the window that it has opened, and no other of our origin, or of another's.
  await say(page, { type: "best", quantity: 1 });
  await frame.waitForSelector("#checkout");
  await frame.evaluate(() => { // a window of ours that somebody else has opened, as the frame would see it ask
    const ask = { plateia: 1, type: "pay-ready", nonce: "0".repeat(32) };
    (window as unknown as { stolen: unknown[] }).stolen = [];
    const other = document.createElement("iframe");
    document.body.append(other); // about:blank: our own origin
    other.contentWindow!.addEventListener("message", (e) => (window as unknown as { stolen: unknown[] }).stolen.push(e.data));
    addEventListener("click", () => setTimeout(() => other.contentWindow!.parent.postMessage(ask, "*"), 300));
  });
  const [popup] = await Promise.all([context.waitForEvent("page"), frame.click("#checkout")]);
  await popup.waitForSelector("#to-provider");
  await inner.evaluate(() => (window as unknown as { shout(to: Window): Promise<void> }).shout(window.parent.frames[0]!));
  assert.deepEqual(await frame.evaluate(() => (window as unknown as { stolen: unknown[] }).stolen), []);
  assert.equal(await popup.evaluate(() => (JSON.parse(localStorage.getItem("plateia.session")!) as { account: { email: string } }).account.email), email);
  assert.deepEqual(trouble.filter((line) => !line.includes("target origin")), []);
  assert.notEqual(PARTNER, STRANGER);
});

test("a fan who is somebody else on our own site is asked before the payment's window makes them another", async () => {
  const { page, trouble } = await newFan(browser), context = page.context(), { eventId } = await stadium();
  await serveHost(context);
  await page.goto(`${URL_}/orders`);
  const first = await signIn(page);
  const frame = await openHost(page, `/embed/v1/desk/${eventId}`); // another site: the frame knows nobody
  await hears(page, "ready");
  await say(page, { type: "best", quantity: 1 });
  const second = await signIn(frame as never);
  await frame.waitForSelector("#checkout");
  const [popup] = await Promise.all([context.waitForEvent("page"), frame.click("#checkout")]);
  await popup.waitForSelector("#other-account");
  const account = (): Promise<string> => popup.evaluate(() => (JSON.parse(localStorage.getItem("plateia.session")!) as { account: { email: string } }).account.email);
  assert.match((await popup.textContent("#other-account"))!, new RegExp(`${first}.*${second}`, "s"));
  assert.equal(await account(), first);
  await audit(popup, "another account");
  await popup.click("#go-on");
  await popup.waitForSelector("#to-provider");
  assert.equal(await account(), second);
  assert.deepEqual(trouble, []);
});

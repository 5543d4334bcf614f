import { after, afterEach, before, test, type TestContext } from "node:test";
import assert from "node:assert/strict";
import type { Browser, CDPSession, Page } from "playwright-core";
import { closeFans, launch, MOVING, newFan } from "./browser.ts";
import { STADIUM, URL_ } from "./fan.ts";
import { news, ready } from "./widget.ts";

// What the first view of the demo stadium (over 60,000 seats) may cost, on our page and in a partner's, and what a widget that has
// gone may leave. The figures do not depend on how busy the machine is; what does is in timely.e2e.ts.
const BYTES = 80_000, HEAP = 20e6; // bytes on the wire, bytes

const PARTNER = process.env.PLATEIA_PARTNER ?? "";
const PAGE = `${URL_}/events/${STADIUM}`, WIDGET = `${PARTNER}/strict`;

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

const live = (page: Page): Promise<void> => page.locator('.live[data-state="live"]').waitFor();

/**
 * Bytes over the wire from our origin: headers, bodies as they were compressed, the socket's answer and frames. first: what was asked
 * for before the socket brought the seats, and that; later: what is fetched once they are there, as the shop before anybody is in it.
 */
async function listen(cdp: CDPSession): Promise<{ first: number; later: number; files: number }> {
  const wire = { first: 0, later: 0, files: 0 }, asked = new Map<string, "first" | "later">();
  let part: "first" | "later" = "first";
  cdp.on("Network.requestWillBeSent", (e) => void (e.request.url.startsWith(URL_) && asked.set(e.requestId, part)));
  cdp.on("Network.loadingFinished", (e) => {
    const when = asked.get(e.requestId);
    if (!when) return;
    wire[when] += e.encodedDataLength;
    if (when === "first") wire.files++;
  });
  cdp.on("Network.webSocketHandshakeResponseReceived", (e) => (wire[part] += e.response.headersText?.length ?? 0));
  cdp.on("Network.webSocketFrameReceived", (e) => {
    wire[part] += Math.ceil(e.response.payloadData.length * (e.response.opcode === 2 ? 0.75 : 1));
    part = "later";
  });
  await cdp.send("Network.enable");
  return wire;
}

/** Memory of scripts and of what they keep outside the heap (the seats' arrays), once what was only for loading has gone. */
async function heap(cdp: CDPSession): Promise<number> {
  for (let i = 0; i < 3; i++) await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize } = (await cdp.send("Runtime.getHeapUsage")) as { usedSize: number; backingStorageSize?: number };
  return usedSize + (backingStorageSize ?? 0);
}

for (const [where, address] of [["our page", PAGE], ["a partner's page", WIDGET]] as const) {
  test(`on ${where} the first view of 60,000 seats comes in 80 kB, and takes 20 MB of memory`, async (t: TestContext) => {
    const { page, trouble } = await newFan(browser, MOVING);
    const cdp = await page.context().newCDPSession(page), wire = await listen(cdp);
    await page.goto(address);
    await live(page); // every seat is there and true
    let memory = Infinity; // what is fetched for later, and what only loading needs, is gone after a while: what stays does not go
    for (let look = 0; look < 20 && memory > HEAP; look++) {
      await page.waitForTimeout(1000);
      memory = await heap(cdp);
    }
    t.diagnostic(`${wire.first} bytes in ${wire.files} files, ${wire.later} for later; ${(memory / 1e6).toFixed(1)} MB`);
    assert.ok(wire.first > 40_000 && wire.first <= BYTES, `${wire.first} bytes`);
    assert.ok(memory <= HEAP, `${memory} bytes of memory`);
    assert.deepEqual(trouble, []);
  });
}

interface Left { heap: number; nodes: number; listeners: number; documents: number }

/** Whether no element of forty stays: one is hundreds of nodes, dozens of listeners and over a megabyte. */
const gone = (before: Left, now: Left): boolean => now.nodes - before.nodes < 40 && now.listeners - before.listeners < 40 &&
  now.documents <= before.documents && now.heap - before.heap < 1e6;

/** Mounts and removes one element after the other, each from its bones to the live map. */
const mounts = (page: Page, count: number): Promise<void> => page.evaluate(async ([event, n]) => {
  for (let i = 0; i < n; i++) {
    const element = document.createElement("plateia-map");
    element.setAttribute("event", event);
    const shown = new Promise((done) => element.addEventListener("plateia-ready", done, { once: true }));
    document.body.append(element);
    await shown;
    element.remove();
    await new Promise((done) => setTimeout(done)); // who stays away for a task is gone
  }
}, [STADIUM, count] as const);

test("fifty mounts and unmounts of the widget leave nothing", async (t: TestContext) => {
  const { page, trouble } = await newFan(browser);
  await news(page);
  await page.goto(WIDGET);
  await ready(page);
  await page.evaluate(() => {
    document.querySelector("plateia-map")!.remove();
    (window as unknown as { told: unknown[] }).told.length = 0;
  });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  const left = async (): Promise<Left> => {
    await page.waitForTimeout(500); // closing sockets
    const bytes = await heap(cdp), { metrics } = await cdp.send("Performance.getMetrics");
    const of = (name: string): number => metrics.find((m) => m.name === name)!.value;
    return { heap: bytes, nodes: of("Nodes"), listeners: of("JSEventListeners"), documents: of("Documents") };
  };
  await mounts(page, 10);
  const ten = await left();
  await mounts(page, 40);
  let fifty = await left();
  for (let look = 0; look < 20 && !gone(ten, fifty); look++) fifty = await left(); // a machine may be slow to close; what stays does not go
  t.diagnostic(`after 10: ${JSON.stringify(ten)}, after 50: ${JSON.stringify(fifty)}`);
  assert.ok(gone(ten, fifty), "nodes, listeners, documents or memory stay");
  assert.deepEqual(trouble, []);
});

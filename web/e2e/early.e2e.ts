// What a first visit sees before the server has said anything about the event.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { STADIUM, stadium, URL_ } from "./fan.ts";
import { until } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

/** Runs in the page: what is painted on the map, one letter a piece (w a word, s a shape), frames divided by a stroke. */
function listen(): void {
  const proto = CanvasRenderingContext2D.prototype, { fill, fillText } = proto, page = self as unknown as { painted: string };
  page.painted = "";
  const note = (piece: string): void => {
    if (/^\|?$/.test(page.painted.slice(-1))) requestAnimationFrame(() => setTimeout(() => (page.painted += "|")));
    if (page.painted.slice(-1) !== piece) page.painted += piece;
  };
  proto.fill = function (this: CanvasRenderingContext2D, ...args: [Path2D]) {
    note("s");
    return fill.apply(this, args);
  } as typeof fill;
  proto.fillText = function (...args) {
    note("w");
    return fillText.apply(this, args);
  };
}

test("a first visit draws the venue, and then its words, while the event is still being asked for", async () => {
  await stadium(); // the edge has its document from now on
  const { page, trouble } = await newFan(browser);
  let answer = (): void => {};
  const held = new Promise<void>((done) => (answer = done));
  await page.route(`**/v1/events/${STADIUM}`, async (route) => {
    await held;
    await route.continue();
  });
  await page.addInitScript(listen);
  await page.goto(`${URL_}/events/${STADIUM}`);
  await page.waitForSelector(".map[data-level]");
  const painted = await until("no words", async () => {
    const now = await page.evaluate(() => (self as unknown as { painted: string }).painted);
    return now.includes("w") ? now : undefined;
  });
  assert.match(painted, /^s\|+sw/, "shapes in a frame of their own, then shapes and words");
  assert.match(await page.title(), /^Seat map/, "the event has not answered");
  answer();
  await page.waitForSelector('.live[data-state="live"]');
  assert.deepEqual(trouble, []);
});

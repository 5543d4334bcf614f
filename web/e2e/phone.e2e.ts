import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { closeFans, launch, newFan, PATIENCE, PHONE } from "./browser.ts";
import { enter, hold, pay, stadium, URL_ } from "./fan.ts";
import { pressUntil } from "./map-hand.ts";
import { last } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

test("on a phone with fingers: section, seat, hold, payment, ticket", async () => {
  const { page, trouble } = await newFan(browser, PHONE);
  await enter(page, (await stadium()).eventId);
  const fills = ({ width, height }: { width: number; height: number }): boolean => width === 390 && height > 300;
  const box = await last(async () => (await page.locator("#map").boundingBox())!, fills);
  assert.ok(fills(box), `the map fills the width above the sheet: ${JSON.stringify(box)}`);
  await pressUntil(page, '.map[data-level="near"]', [0.45, 0.66], [0.6, 0.8], true);
  await pressUntil(page, ".dock .chosen li", [0.25, 0.3], [0.75, 0.75], true);
  await hold(page);
  await pay(page, "approve");
  await page.waitForURL(/\/orders\//);
  await page.waitForSelector(".qr");
  assert.deepEqual(trouble, []);
});

/** What lies over the drawn part of the map (runs in the page). */
function covered(): string[] {
  const canvas = document.querySelector<HTMLCanvasElement>(".map-base")!, whole = canvas.getBoundingClientRect();
  const ratio = canvas.width / whole.width;
  return [...document.querySelectorAll(".map-foot > *, .panel")].filter((e) => {
    const r = e.getBoundingClientRect();
    const x = Math.max(r.left, whole.left), y = Math.max(r.top, whole.top), w = Math.min(r.right, whole.right) - x, h = Math.min(r.bottom, whole.bottom) - y;
    if (w <= 0 || h <= 0) return false;
    const { data } = canvas.getContext("2d")!.getImageData((x - whole.left) * ratio, (y - whole.top) * ratio, w * ratio, h * ratio);
    return data.some((v, i) => i % 4 === 3 && v > 0);
  }).map((e) => e.className);
}

for (const [name, options] of [["phone", PHONE], ["desktop", {}]] as const) {
  test(`nothing lies over the fitted venue: ${name}`, async () => {
    const { page } = await newFan(browser, options);
    await page.goto(`${URL_}/events/${(await stadium()).eventId}`);
    await page.waitForSelector('.map[data-level="far"]');
    await page.waitForSelector('.live[data-state="live"]');
    let found: string[] = [], rests = 0; // a changed band moves the venue a frame later: what counts is where both come to rest
    for (const end = Date.now() + PATIENCE; rests < 10 && Date.now() < end; rests = found.length > 0 ? 0 : rests + 1) {
      found = await page.evaluate(covered);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    assert.deepEqual(found, []);
  });
}

test("two fingers zoom, one moves, and the page does not scroll instead", async () => {
  const { page } = await newFan(browser, PHONE);
  await page.goto(`${URL_}/events/${(await stadium()).eventId}`);
  await page.waitForSelector('.map[data-level="far"]');
  await page.waitForSelector("#email"); // the panel is there, and the map where it stays
  await page.waitForSelector('.live[data-state="live"]');
  const cdp = await page.context().newCDPSession(page);
  const touch = (type: string, ...points: [number, number][]): Promise<unknown> =>
    cdp.send("Input.dispatchTouchEvent", { type: type as "touchStart", touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const { x, y, width, height } = (await page.locator("#map").boundingBox())!;
  const cx = x + width / 2, cy = y + height * 0.75;
  await touch("touchStart", [cx - 15, cy], [cx + 15, cy]);
  for (let d = 15; d < 190; d += 12) await touch("touchMove", [cx - d, cy], [cx + d, cy]);
  await touch("touchEnd");
  await page.waitForFunction(() => document.getElementById("map")!.dataset.level !== "far");
  assert.equal(await page.evaluate(() => scrollY), 0);
});

import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { closeFans, launch, newFan, PATIENCE, PHONE } from "./browser.ts";
import { enter, hold, pay, stadium, URL_ } from "./fan.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

/** Taps one point of the map after another until something appears. */
async function tapUntil(page: Page, selector: string, from: [number, number], to: [number, number]): Promise<void> {
  const box = (await page.locator("#map").boundingBox())!;
  for (let y = from[1]; y < to[1]; y += 0.04) {
    for (let x = from[0]; x < to[0]; x += 0.05) {
      await page.touchscreen.tap(box.x + box.width * x, box.y + box.height * y);
      await page.evaluate(() => new Promise(requestAnimationFrame)); // the tap has been dealt with
      if (await page.locator(selector).count()) return;
    }
  }
  throw new Error(`no tap brought ${selector}`);
}

test("on a phone with fingers: section, seat, hold, payment, ticket", async () => {
  const { page, trouble } = await newFan(browser, { ...PHONE, reducedMotion: "reduce" });
  await enter(page, (await stadium()).eventId);
  const box = (await page.locator("#map").boundingBox())!;
  assert.ok(box.width === 390 && box.height > 300, "the map fills the width above the sheet");
  await tapUntil(page, '.map[data-level="near"]', [0.45, 0.66], [0.6, 0.8]);
  await tapUntil(page, ".dock .chosen li", [0.25, 0.3], [0.75, 0.75]);
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

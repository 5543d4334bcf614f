import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { launch, newFan, PHONE } from "./browser.ts";
import { enter, hold, pay, stadium, URL_ } from "./fan.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());

/** Taps through a section until a seat is chosen. */
async function tapSeat(page: Page): Promise<void> {
  const box = (await page.locator("#map").boundingBox())!;
  for (let y = 0.3; y < 0.75; y += 0.04) {
    for (let x = 0.25; x < 0.75; x += 0.05) {
      await page.touchscreen.tap(box.x + box.width * x, box.y + box.height * y);
      if (await page.locator(".dock .chosen li").count()) return;
    }
  }
  throw new Error("no tap chose a seat");
}

test("on a phone with fingers: section, seat, hold, payment, ticket", async () => {
  const { page, trouble } = await newFan(browser, { ...PHONE, reducedMotion: "reduce" });
  await enter(page, (await stadium()).eventId);
  const box = (await page.locator("#map").boundingBox())!;
  assert.ok(box.width === 390 && box.height > 300, "the map fills the width above the sheet");
  await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height * 0.7);
  await page.waitForSelector('.map[data-level="near"]');
  await tapSeat(page);
  await hold(page);
  await pay(page, "approve");
  await page.waitForURL(/\/orders\//);
  await page.waitForSelector(".qr");
  assert.deepEqual(trouble, []);
});

for (const [name, options] of [["phone", PHONE], ["desktop", {}]] as const) {
  test(`nothing lies over the fitted venue: ${name}`, async () => {
    const { page } = await newFan(browser, options);
    await page.goto(`${URL_}/events/${(await stadium()).eventId}`);
    await page.waitForSelector('.map[data-level="far"]');
    await page.waitForSelector('.live[data-state="live"]');
    await page.waitForTimeout(300); // a changed band moves the venue in the next frame
    const covered = await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>(".map-base")!, whole = canvas.getBoundingClientRect();
      const ratio = canvas.width / whole.width;
      return [...document.querySelectorAll(".map-foot > *, .panel")].filter((e) => {
        const r = e.getBoundingClientRect();
        const x = Math.max(r.left, whole.left), y = Math.max(r.top, whole.top), w = Math.min(r.right, whole.right) - x, h = Math.min(r.bottom, whole.bottom) - y;
        if (w <= 0 || h <= 0) return false;
        const { data } = canvas.getContext("2d")!.getImageData((x - whole.left) * ratio, (y - whole.top) * ratio, w * ratio, h * ratio);
        return data.some((v, i) => i % 4 === 3 && v > 0);
      }).map((e) => e.className);
    });
    assert.deepEqual(covered, []);
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

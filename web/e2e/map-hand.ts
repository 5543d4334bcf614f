import type { Page } from "playwright-core";
import { PATIENCE } from "./browser.ts";

/**
 * Presses one point of the map after another, with a finger or the mouse, until something appears. from, to: shares of its width and
 * height. A press during a flight of the map is none, so that one round may not be enough.
 */
export async function pressUntil(page: Page, selector: string, from: readonly [number, number], to: readonly [number, number], touch: boolean, map = "#map"): Promise<void> {
  for (const end = Date.now() + PATIENCE; Date.now() < end;) {
    for (let y = from[1]; y < to[1]; y += 0.04) {
      for (let x = from[0]; x < to[0]; x += 0.05) {
        const box = (await page.locator(map).boundingBox())!, at = [box.x + box.width * x, box.y + box.height * y] as const;
        await (touch ? page.touchscreen.tap(...at) : page.mouse.click(...at));
        await page.evaluate(() => new Promise(requestAnimationFrame)); // it has been dealt with
        if (await page.locator(selector).count()) return;
      }
    }
  }
  throw new Error(`no press on the map brought ${selector}`);
}

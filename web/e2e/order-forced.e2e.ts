import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { enter, holdBest, pay, showsView, URL_ } from "./fan.ts";
import { ownEvent } from "./room.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());
afterEach(closeFans);

/** Which of these parts of a page have no edge that can be seen. */
async function unseen(page: Page, edges: string[]): Promise<string[]> {
  return page.evaluate((names) => {
    const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
    const rgb = (colour: string): number[] => {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      return [...pen.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]: number[]): number => [r!, g!, b!].map((v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i]!, 0);
    const contrast = (a: number[], b: number[]): number => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    const ground = (e: Element | null): number[] => {
      for (; e; e = e.parentElement) if (rgb(getComputedStyle(e).backgroundColor)[3]! > 0) return rgb(getComputedStyle(e).backgroundColor);
      return rgb("Canvas");
    };
    const edge = (e: Element): boolean => {
      const { borderBlockEndWidth: w, borderBlockEndStyle: s, borderBlockEndColor: c } = getComputedStyle(e);
      return s !== "none" && parseFloat(w) >= 0.5 && contrast(rgb(c), ground(e.parentElement)) >= 3;
    };
    const bad: string[] = [];
    for (const name of names) {
      const all = [...document.querySelectorAll(name)];
      if (all.length === 0) bad.push(`${name} is not there`);
      if (!all.every((e) => edge(e))) bad.push(`${name} has no edge`);
    }
    return bad;
  }, edges);
}

test("in forced colours an order, its payment, its tickets and giving them back have edges", async () => {
  const { page, trouble } = await newFan(browser, { forcedColors: "active" });
  await enter(page, await ownEvent());
  await holdBest(page, 2);
  await page.click("#checkout");
  await showsView(page, "continue");
  assert.deepEqual(await unseen(page, [".status", ".slip", ".deadline", "#to-provider"]), []);
  await pay(page, "approve");
  await page.waitForSelector(".qr >> nth=1");
  assert.deepEqual(await unseen(page, [".status", ".ticket", ".slip", ".tickets-box .button"]), []);
  assert.equal(await page.locator(".slip-head").evaluate((e) => getComputedStyle(e).backgroundImage), "none", "a gradient is no colour that is forced");
  assert.equal(await page.locator(".ticket figure").first().evaluate((e) => getComputedStyle(e).backgroundColor), "rgb(255, 255, 255)", "a code is read on white");
  await page.click("#give-back");
  await page.waitForSelector("dialog[open]");
  await page.locator("dialog input").nth(1).check();
  assert.deepEqual(await unseen(page, [".dialog", ".pick", ".dialog .button"]), []);
  await page.click("#give-back-next");
  await page.click("#give-back-yes");
  await page.waitForSelector(".dialog-done");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".refund");
  assert.deepEqual(await unseen(page, [".refunds", ".refund-track .icon", ".refunds .tag", ".ticket-gone"]), []);
  await page.goto(`${URL_}/orders`);
  await page.waitForSelector(".order-list .card");
  assert.deepEqual(await unseen(page, [".card", ".card .tag"]), []);
  assert.deepEqual(trouble, []);
});

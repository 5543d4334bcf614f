import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { giveEyes } from "./eyes.ts";
import { enter, holdBest, pay, showsView, URL_ } from "./fan.ts";
import { ownEvent } from "./room.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());
afterEach(closeFans);

/** Which of these parts of a page have no edge that can be seen. */
async function unseen(page: Page, edges: string[]): Promise<string[]> {
  return page.evaluate((names) => {
    const { rgb, contrast, ground } = eyes;
    const edge = (e: Element): boolean => {
      const { borderBlockEndWidth: w, borderBlockEndStyle: s, borderBlockEndColor: c } = getComputedStyle(e);
      return s !== "none" && parseFloat(w) >= 0.5 && contrast(rgb(c), ground(e.parentElement, "Canvas")) >= 3;
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
  await giveEyes(page);
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

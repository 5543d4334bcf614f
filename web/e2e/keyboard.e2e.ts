import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan } from "./browser.ts";
import { coloursIn } from "./canvas.ts";
import { atTheSeats, codeFor, newEmail, stadium, URL_ } from "./fan.ts";
import { becomes, last, says } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

/** Presses Tab until something that matches has the focus. */
async function tabTo(page: Page, selector: string, most = 90): Promise<void> {
  await page.waitForSelector(selector);
  for (let i = 0; i < most; i++) {
    if (await page.evaluate((s) => document.activeElement?.matches(s) ?? false, selector)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${selector}`);
}

const press = async (page: Page, selector: string, key = "Enter"): Promise<void> => {
  await tabTo(page, selector);
  await page.keyboard.press(key);
};

/** Chooses the first real option of a list with the keyboard. */
async function firstOption(page: Page, selector: string): Promise<void> {
  await tabTo(page, selector);
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((s) => (document.querySelector(s) as HTMLSelectElement).value !== "", selector);
}

test("a purchase with the keyboard alone", async () => {
  const { page, trouble } = await newFan(browser);
  const event = await stadium();
  await page.goto(URL_);
  await press(page, `.card a[href="/events/${event.eventId}"]`);
  const email = newEmail();
  await tabTo(page, "#email");
  await page.keyboard.type(email);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "code"); // the field has the focus, the sixth digit sends it
  await page.keyboard.type(await codeFor(email));
  await atTheSeats(page);
  await press(page, ".fold > summary");
  await firstOption(page, "#pick-section");
  await press(page, ".fold form .see"); // what one sees from there, without the map
  await page.waitForSelector(".view-dialog[open] canvas");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".view-dialog") && document.activeElement?.matches(".see"));
  await firstOption(page, "#pick-row");
  await firstOption(page, "#pick-seat");
  await press(page, ".fold form button:not(.see)");
  await page.waitForSelector(".dock .chosen li");

  await tabTo(page, '.grid td[tabindex="0"]'); // and a second one in the table: arrows move, Space chooses
  const isFree = (): Promise<boolean> => page.evaluate(() => document.activeElement!.matches('[data-look="0"]:not([data-kept])'));
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press(i % 12 === 11 ? "ArrowDown" : "ArrowRight");
    if (await isFree()) break;
  }
  await page.keyboard.press("Space");
  await becomes(() => page.locator(".dock .chosen li").count(), 2);

  await press(page, ".dock .button.wide");
  await page.waitForSelector("#checkout");
  await page.waitForFunction(() => document.activeElement?.id === "hold-title"); // the focus follows the news
  await press(page, "#checkout");
  await page.waitForURL(/\/pay\//);
  await press(page, "#to-provider");
  await page.waitForURL(/\/sandbox2?\//);
  await press(page, 'button[value="approve"]');
  await page.waitForURL(/\/orders\//);
  await becomes(() => page.locator("[data-ticket]").count(), 2);
  assert.deepEqual(trouble, []);
});

test("the map answers to the keyboard: zoom, the view from a section, move, whole venue", async () => {
  const { page, trouble } = await newFan(browser);
  await page.goto(`${URL_}/events/${(await stadium()).eventId}`);
  await page.waitForSelector(".map[data-level]");
  await page.waitForSelector('.map[data-level="far"]');
  await page.waitForSelector('.live[data-state="live"]');
  await page.focus("#map");
  for (let i = 0; i < 6; i++) await page.keyboard.press("+");
  await page.waitForSelector('.map[data-level="near"]');
  await page.press(".map-where .view", "Enter");
  const view = page.locator("dialog.view-dialog[open]");
  await view.waitFor();
  await says(() => view.locator("h2").innerText(), /section/i);
  const colours = await last(() => coloursIn(view.locator("canvas")), (n) => n > 10);
  assert.ok(colours > 10, `the view has ${colours} colours`); // sky, field, roofs, rows of heads
  await audit(page, "the view from a section");
  await page.keyboard.press("Escape");
  await view.waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.matches(".map-where .view")); // the focus is where it was
  await page.focus("#map");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("0");
  await page.waitForSelector('.map[data-level="far"]');
  assert.deepEqual(trouble, []);
});

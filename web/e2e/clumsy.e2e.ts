import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { atTheSeats, cell, chooseInTable, codeFor, enter, hold, newEmail, openSection, URL_ } from "./fan.ts";
import { PARTNER } from "./host.ts";
import { ownEvent } from "./room.ts";
import { becomes, last, says } from "./wait.ts";
import { news, ready } from "./widget.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

const panel = (page: Page) => (): Promise<string> => page.locator("#panel").innerText();

test("what is chosen and looked for outlives a reload and the way to another page and back; so does a hold that is being changed", async () => {
  const { page, trouble } = await newFan(browser), event = await ownEvent();
  await enter(page, event);
  const section = await openSection(page), seats = await chooseInTable(page, 2), chosen = page.locator(".dock .chosen li");
  await page.reload();
  await atTheSeats(page);
  await chosen.nth(1).waitFor();
  assert.equal(await chosen.count(), 2);
  await page.goto(`${URL_}/orders`);
  await page.waitForSelector(".state");
  await page.goBack();
  await atTheSeats(page);
  await chosen.nth(1).waitFor();
  await hold(page);
  await openSection(page, section);
  await cell(page, seats[1]!).click();
  await page.waitForSelector(`.grid td[data-o="${seats[1]}"][aria-selected="false"]`);
  await page.reload();
  await page.waitForSelector("#checkout");
  await page.getByRole("button", { name: "Change my seats" }).waitFor();
  assert.equal(await chosen.count(), 1);
  assert.deepEqual(trouble, []);
});

test("without a network at the door the fan stays on the page, and is let in when it is back", async () => {
  const { page } = await newFan(browser), event = await ownEvent(), email = newEmail();
  await page.goto(`${URL_}/events/${event}`);
  await page.fill("#email", email);
  await page.press("#email", "Enter");
  await page.waitForSelector("#code");
  await page.route(/\/queue$/, (route) => route.abort());
  await page.fill("#code", await codeFor(email));
  await says(panel(page), /does not answer/);
  assert.equal(new URL(page.url()).pathname, `/events/${event}`);
  await page.unrouteAll();
  await page.getByRole("button", { name: "Try again" }).click({ timeout: 2000 }).catch(() => {}); // or it has gone on by itself
  await atTheSeats(page);
});

test("a code that was asked for is still asked for after a reload, and counts; another address can be given instead", async () => {
  const { page, trouble } = await newFan(browser), event = await ownEvent(), email = newEmail();
  await page.goto(`${URL_}/events/${event}`);
  await page.fill("#email", newEmail());
  await page.press("#email", "Enter");
  await page.waitForSelector("#code");
  await page.getByRole("button", { name: "another address" }).click();
  await page.fill("#email", email);
  await page.press("#email", "Enter");
  await page.waitForSelector("#code");
  await page.reload();
  await page.waitForSelector("#code");
  await says(panel(page), new RegExp(email));
  await page.fill("#code", await codeFor(email));
  await atTheSeats(page);
  await page.goto(`${URL_}/orders`);
  await page.waitForSelector(".state");
  assert.equal(await page.evaluate(() => sessionStorage.getItem("plateia.code")), null, "a code that was used is forgotten");
  assert.deepEqual(trouble, []);
});

test("who signs out in one tab is signed out in every tab", async () => {
  const { page, trouble } = await newFan(browser), event = await ownEvent();
  await enter(page, event);
  const other = await page.context().newPage();
  await other.goto(`${URL_}/orders`);
  await other.waitForSelector(".account");
  await page.click(".account > summary");
  await page.click(".account-menu .button");
  await other.waitForSelector("#email");
  await page.waitForSelector("#email");
  assert.deepEqual(trouble, []);
});

test("on a partner's page what is chosen outlives a reload too", async () => {
  const { page, trouble } = await newFan(browser);
  await news(page);
  await page.goto(`${PARTNER}/`);
  await ready(page);
  const map = page.locator("plateia-map"), chosen = (): Promise<string[]> => map.evaluate((e) => (e as HTMLElement & { selection: { seats: string[] } }).selection.seats);
  await map.locator(".fold > summary").click();
  await map.locator("#pick-section option >> nth=1").waitFor({ state: "attached" });
  await map.locator("#pick-section").selectOption({ index: 1 });
  await map.locator('.grid td[data-look="0"]').first().click();
  const seats = await last(chosen, (all) => all.length > 0);
  assert.equal(seats.length, 1);
  await page.reload();
  await ready(page);
  await becomes(chosen, seats);
  await map.locator(".dock .chosen li").waitFor();
  await map.evaluate((e) => (e as HTMLElement & { clear(): void }).clear());
  await page.reload();
  await ready(page);
  assert.deepEqual(await chosen(), [], "and what was taken back is not");
  assert.deepEqual(trouble, []);
});

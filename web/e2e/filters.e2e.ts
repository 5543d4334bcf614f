import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import { type Browser, type Page } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { enter, get, STADIUM, stadium, URL_ } from "./fan.ts";
import { becomes, last, says } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

interface Priced { categories: { price: { amount: number } }[]; rules: { fees: { rate: number }[] } }

/** How a page writes an amount of the demo's: in whole units where it has no more. */
const written = (minor: number): string =>
  new Intl.NumberFormat("en", { style: "currency", currency: "BRL", trailingZeroDisplay: "stripIfInteger" } as Intl.NumberFormatOptions).format(minor / 100);

const sum = (page: Page, text: RegExp): Promise<unknown> =>
  page.waitForFunction((source) => new RegExp(source).test(document.querySelector(".filter-sum")!.textContent!), text.source);

test("one filter for map, lists and best-available, and a way out when nothing fits", async () => {
  const { page, trouble } = await newFan(browser);
  await enter(page, (await stadium()).eventId);
  await sum(page, /^[\d,]+ seats free$/);

  await page.locator(".price").nth(2).click();
  await sum(page, /^[\d,]+ free seats matchClear filters$/);
  await page.click(".fold > summary");
  await page.waitForFunction(() => document.querySelectorAll("#pick-section option").length > 1);
  const { categories, rules } = (await (await get(`${URL_}/v1/events/${STADIUM}`)).json()) as Priced;
  const { amount } = categories[2].price, shown = amount + Math.round(amount * rules.fees[0].rate / 10_000);
  const category = (await page.locator(".price").nth(2).locator("b").textContent())!;
  assert.equal(category, written(shown), "the service fee is in the price");
  assert.ok((await page.locator("#max-price option").allTextContents()).some((text) => text.includes(category)));
  const right = (texts: string[]): boolean => texts.length > 1 && texts.slice(1).every((text) => text.includes(category));
  const offered = await last(() => page.locator("#pick-section option").allTextContents(), right);
  assert.ok(right(offered), `the lists have sections of that price only: ${offered.join()}`);

  await page.selectOption("#filter-section", { index: 1 });
  await page.waitForSelector(".chip");
  const [, chosen] = /Section (\S+)/.exec((await page.textContent(".chip"))!)!;
  await becomes(() => page.locator("#pick-section option").count(), 2);
  await page.click(".best .button.wide");
  await page.waitForSelector("#checkout");
  const held = await page.locator(".hold .chosen li").allTextContents();
  assert.ok(held.length === 2 && held.every((line) => line.includes(`Section ${chosen}`) && line.includes(written(shown))), `${held.join()}: the price of a seat is the same everywhere`);
  await says(() => page.textContent(".hold > .soft"), new RegExp(`^Includes Service fee R\\$${(2 * (shown - amount)) / 100}`), "and says what is in it");
  await becomes(() => page.locator(".hold .sum .num").textContent(), written(2 * shown).replace(/(?<!\.\d\d)$/, ".00"), "two seats cost what two were shown to cost");

  await page.locator(".price").nth(2).click(); // no price, then another: the section has none of it
  await page.locator(".price").nth(4).click();
  await page.waitForSelector(".filter-sum.none");
  assert.match((await page.textContent(".filter-sum p"))!, /Nothing that is free matches/);
  await page.locator(".ways").getByRole("button", { name: /^Whole venue/ }).click();
  await sum(page, /free seats match/);
  await becomes(() => page.locator(".chip").count(), 0);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await sum(page, /seats free$/);
  await page.waitForFunction(() => document.querySelector(".filter-sum") === document.activeElement);
  assert.deepEqual(trouble, []);
});

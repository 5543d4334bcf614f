import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan, PHONE } from "./browser.ts";
import { giveEyes } from "./eyes.ts";
import { atTheSeats, cell, choose, hold, holdBest, openSection, pay, shows, signIn, URL_ } from "./fan.ts";
import { ownEvent } from "./room.ts";
import { becomes, says, until } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

async function goIn(page: Page, event: string): Promise<void> {
  await page.goto(`${URL_}/events/${event}`);
  await signIn(page);
  await atTheSeats(page);
}

/** How many places of the area the page says are free. */
const free = async (page: Page): Promise<number> => Number(/\d+/.exec((await page.textContent(".areas .area .small"))!)![0]);

/** A row of the open table whose seats are all free: its ordinals. */
async function freeRow(page: Page): Promise<string[]> {
  const rows = await page.locator(".grid tr").evaluateAll((all) => all.map((r) => [...r.querySelectorAll<HTMLElement>("td")]
    .map((c) => (c.dataset.look === "0" && c.dataset.kept === undefined ? c.dataset.o! : ""))));
  const row = rows.find((r) => r.length > 8 && !r.includes(""));
  assert.ok(row, "no row is free from end to end");
  return row;
}

/** Presses a button with the keyboard. */
async function key(page: Page, selector: string, times = 1): Promise<void> {
  for (let i = 0; i < times; i++) await page.press(selector, "Enter");
}

for (const [name, options, section] of [["desktop", {}, "0"], ["phone", PHONE, "1"]] as const) {
  test(`a seat and two standing places, and a refusal that says what to take instead: ${name}`, async () => {
    const [{ page, trouble }, other] = [await newFan(browser, options), await newFan(browser)];
    const event = await ownEvent();
    await Promise.all([goIn(page, event), goIn(other.page, event)]);
    const before = await free(other.page);
    await key(page, ".area .more", 2);
    await says(() => page.textContent(".dock .chosen"), /2 × Standing/);
    await openSection(page, section);
    const row = await freeRow(page);
    await choose(page, [row[1]!]); // leaves the first seat of the row alone
    await audit(page, "chosen");
    await page.press(".dock .button.wide", "Enter");
    await page.waitForSelector(".notice.warn .button");
    await says(() => page.textContent(".notice.warn"), /leave one seat alone.*seat 1\b/);
    assert.equal(await page.locator("#checkout").count(), 0);
    await audit(page, "refused");
    await page.press(".notice.warn .button", "Enter");
    await page.waitForSelector("#checkout");
    await shows(page, [row[0]!], "5");
    await becomes(() => page.locator(".hold .chosen li b").evaluateAll((all) => all.map((e) => e.textContent!.replace(/.*(seat|×)/, "$1"))), ["seat 1", "× Standing room"]);
    await audit(page, "held");
    await other.page.waitForFunction((n) => document.querySelector(".areas .area .small")?.textContent?.startsWith(String(n)), before - 2);
    await pay(page, "approve");
    await page.waitForURL(/\/orders\//);
    await page.waitForSelector("[data-ticket] >> nth=2");
    await says(() => page.textContent(".slip"), /2 × STANDING/);
    assert.deepEqual([trouble, other.trouble], [[], []]);
  });
}

for (const width of [390, 820]) {
  test(`the name of a standing area and its count keep clear of the area's edges, and what is held is lighter than a dark ground: ${width} px`, async () => {
    const { page, trouble } = await newFan(browser, { viewport: { width, height: 1000 } });
    await giveEyes(page);
    await goIn(page, await ownEvent());
    await page.waitForSelector('.live[data-state="live"]');
    const gaps = await until("no words on the area", () => page.locator(".map canvas").first().evaluate((canvas: HTMLCanvasElement) => {
      const { width: w, height: h } = canvas, { data } = canvas.getContext("2d")!.getImageData(0, 0, w, h), ratio = w / canvas.clientWidth;
      const colour = eyes.rgb(getComputedStyle(canvas).getPropertyValue("--map-cat-3"));
      const filled = (x: number, y: number): boolean => [0, 1, 2].every((i) => Math.abs(data[(y * w + x) * 4 + i]! - colour[i]!) < 4);
      const middle = Array.from({ length: Math.floor(w / 8) }, (_, i) => Math.floor(w * 7 / 16) + i); // as wide as half of the words
      const rows = Array.from({ length: h }, (_, y) => middle.filter((x) => filled(x, y)).length);
      const top = rows.indexOf(middle.length), bottom = rows.lastIndexOf(middle.length);
      const words = rows.map((n, y) => (y > top && y < bottom && n < middle.length ? y : -1)).filter((y) => y >= 0);
      return words.length < 4 ? undefined : { above: (words[0]! - top) / ratio, below: (bottom - words.at(-1)!) / ratio, high: (bottom - top) / ratio };
    }));
    assert.ok(gaps.above >= gaps.high / 10 && gaps.below >= gaps.high / 10, JSON.stringify(gaps));

    await holdBest(page, 1);
    await page.emulateMedia({ colorScheme: "dark" });
    const lighter = await page.locator(".hold").evaluate((e) => [e, e.parentElement].map((one) => eyes.contrast(eyes.ground(one, "Canvas"), [0, 0, 0])));
    assert.ok(lighter[0]! > lighter[1]! * 1.1, `${lighter}`);
    assert.deepEqual(trouble, []);
  });
}

test("an accessible place is there for who says that they need one, with its companion beside it", async () => {
  const { page, trouble } = await newFan(browser);
  await goIn(page, await ownEvent());
  await openSection(page, "0");
  const kept = await page.locator(".grid td[data-kept]").first().getAttribute("data-o");
  await cell(page, kept!).click({ force: true }); // it says that it is disabled
  await page.waitForSelector(".notice.warn .button");
  assert.equal(await page.locator(".dock .chosen li").count(), 0);
  await page.click(".notice.warn .button");
  await page.waitForSelector("#accessible:checked");
  await page.click(".dock .offer .button");
  await page.waitForSelector(".dock .chosen li:not(.offer) >> nth=1");
  await audit(page, "accessible");
  await hold(page);
  await becomes(() => page.locator(".hold .chosen li").count(), 2);
  assert.deepEqual(trouble, []);
});

test("the whole venue is nobody's section; a section looked at says how many seats can be chosen, as its table does, also when somebody takes some", async () => {
  const event = await ownEvent();
  const [{ page, trouble }, other] = [await newFan(browser), await newFan(browser)];
  await goIn(page, event);
  await page.waitForSelector(".map-where", { state: "hidden" });
  await openSection(page, "0");
  const agree = (taken: string[]): Promise<unknown> => page.waitForFunction((seats) => {
    const said = /(\d+) free/.exec(document.querySelector(".map-where:not([hidden])")?.textContent ?? "")?.[1];
    const gone = seats.every((o) => document.querySelector<HTMLElement>(`.grid td[data-o="${o}"]`)?.dataset.look === "1");
    return gone && Number(said) === document.querySelectorAll('.grid td[data-look="0"]:not([data-kept])').length;
  }, taken);
  await agree([]);
  await goIn(other.page, event);
  await openSection(other.page, "0");
  const [first, second] = await freeRow(other.page);
  await choose(other.page, [first!, second!]);
  await hold(other.page);
  await agree([first!, second!]);
  await page.locator(".map-tools button").last().click();
  await page.waitForSelector(".map-where", { state: "hidden" });
  assert.deepEqual([trouble, other.trouble], [[], []]);
});

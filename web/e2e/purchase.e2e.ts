import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import jsQR from "jsqr";
import type { Browser, Page } from "playwright-core";
import { launch, newFan } from "./browser.ts";
import { chooseInTable, enter, hold, openSection, pay, stadium, URL_ } from "./fan.ts";
import { readTicket } from "./ticket-code.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());

/** Reads the picture of a ticket's code as a scanner would. */
async function scan(page: Page, n: number): Promise<string> {
  const image = await page.locator(".qr").nth(n).evaluate((img: HTMLImageElement) => {
    const canvas = document.createElement("canvas");
    canvas.width = img.naturalWidth;
    canvas.height = img.naturalHeight;
    const ctx = canvas.getContext("2d")!;
    ctx.drawImage(img, 0, 0);
    const { data } = ctx.getImageData(0, 0, canvas.width, canvas.height);
    let bits = ""; // dark or light: a picture as an array of numbers takes seconds to send
    for (let i = 0; i < data.length; i += 4) bits += data[i]! < 128 ? "1" : "0";
    return { w: canvas.width, h: canvas.height, bits };
  });
  const pixels = new Uint8ClampedArray(image.w * image.h * 4).fill(255);
  for (let i = 0; i < image.bits.length; i++) if (image.bits[i] === "1") pixels.fill(0, i * 4, i * 4 + 3);
  const found = jsQR(pixels, image.w, image.h);
  assert.ok(found, "the picture is not a readable QR code");
  return found.data;
}

test("one fan holds, the other one sees it within a second; the first one buys and gets tickets that verify", async (t) => {
  const event = await stadium();
  const [a, b] = await Promise.all([newFan(browser), newFan(browser, { locale: "pt-BR" })]);
  await Promise.all([enter(a.page, event.eventId), enter(b.page, event.eventId)]);
  const section = await openSection(a.page, 3);
  await openSection(b.page, 0);
  await b.page.selectOption("#pick-section", section);
  const seats = await chooseInTable(a.page, 2, 4);

  const cells = seats.map((o) => `.grid td[data-o="${o}"]`);
  const seen = b.page.evaluate(async (selectors) => {
    while (!selectors.every((s) => document.querySelector<HTMLElement>(s)?.dataset.look === "1")) await new Promise(requestAnimationFrame);
    return Date.now();
  }, cells);
  const answered = a.page.waitForResponse((r) => r.url().endsWith("/holds") && r.request().method() === "POST").then(() => Date.now());
  await hold(a.page);
  const late = (await seen) - (await answered);
  t.diagnostic(`the other browser saw the hold ${late} ms after the answer`);
  assert.ok(late < 1000, `seen only after ${late} ms`);

  await b.page.locator(cells[0]!).click({ force: true }); // a held seat cannot be chosen
  assert.equal(await b.page.locator(cells[0]!).getAttribute("aria-selected"), "false");

  await pay(a.page, "approve");
  await a.page.waitForURL(/\/orders\//);
  await a.page.waitForSelector(".qr >> nth=1");
  const ids = await a.page.locator("[data-ticket]").evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset.ticket!));
  assert.equal(ids.length, 2);
  const claims = await Promise.all([0, 1].map(async (n) => readTicket(await scan(a.page, n), URL_)));
  assert.deepEqual(claims.map((c) => String(c.ordinal)).sort(), [...seats].sort());
  assert.deepEqual(claims.map((c) => c.ticket), ids.map((i) => i.replaceAll("-", "").toLowerCase()));

  await b.page.waitForFunction((selectors) => selectors.every((s) => document.querySelector<HTMLElement>(s)?.dataset.look === "2"), cells);
  assert.deepEqual([a.trouble, b.trouble], [[], []]);
});

test("a declined payment keeps the seats; paying again works", async () => {
  const { page, trouble } = await newFan(browser);
  await enter(page, (await stadium()).eventId);
  await page.click(".best .button.wide");
  await page.waitForSelector("#checkout");
  await pay(page, "decline");
  await page.waitForURL(/\/pay\//);
  await page.getByRole("button", { name: "Pay again" }).click();
  await pay(page, "approve");
  await page.waitForURL(/\/orders\//);
  await page.waitForSelector(".qr");
  assert.deepEqual(trouble, []);
});

test("seats that somebody took are explained, the rest of the choice stays", async () => {
  const event = await stadium();
  const [a, b] = await Promise.all([newFan(browser), newFan(browser)]);
  await Promise.all([enter(a.page, event.eventId), enter(b.page, event.eventId)]);
  for (const f of [a, b]) await openSection(f.page, 7);
  const mine = await chooseInTable(a.page, 1);
  await b.page.locator(`.grid td[data-o="${mine[0]}"]`).click();
  await chooseInTable(b.page, 1, 6);
  await hold(a.page);
  await b.page.waitForSelector(".notice.warn");
  assert.match((await b.page.textContent(".notice"))!, /was taken a moment ago/);
  assert.equal(await b.page.locator(".dock .chosen li").count(), 1);
  assert.deepEqual([a.trouble, b.trouble], [[], []]);
});

test("a reload in the middle of a hold shows the same hold; giving it back frees the seats", async () => {
  const { page, trouble } = await newFan(browser);
  await enter(page, (await stadium()).eventId);
  await openSection(page, 11);
  const [seat] = await chooseInTable(page, 1);
  await hold(page);
  await page.reload();
  await page.waitForSelector("#checkout");
  await openSection(page, 11);
  assert.equal(await page.locator(`.grid td[data-o="${seat}"]`).getAttribute("data-look"), "5");
  await page.getByRole("button", { name: "Give seats back" }).click();
  await page.getByRole("button", { name: "Yes, give them back" }).click();
  await page.waitForSelector("#checkout", { state: "detached" });
  await page.waitForSelector(`.grid td[data-o="${seat}"][data-look="0"]`);
  assert.deepEqual(trouble, []);
});

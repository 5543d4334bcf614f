import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import jsQR from "jsqr";
import type { Browser, Page } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { cell, choose, chooseInTable, enter, giveBack, hold, openSection, pay, shows, stadium, URL_ } from "./fan.ts";
import { readTicket } from "./ticket-code.ts";
import { becomes, says } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

/** Reads the picture of a ticket's code as a scanner would. */
async function scan(page: Page, n: number): Promise<string> {
  const loaded = await page.waitForFunction((i) => { // asked for anew each time: the list of tickets may be made again
    const img = document.querySelectorAll<HTMLImageElement>(".qr")[i];
    return img?.complete && img.naturalWidth > 0 && img;
  }, n);
  const image = await loaded.evaluate((img: HTMLImageElement) => {
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

test("one fan holds, the other one sees it; the first one buys and gets tickets that verify", async () => {
  const event = await stadium();
  const [a, b] = await Promise.all([newFan(browser), newFan(browser, { locale: "pt-BR" })]);
  await Promise.all([enter(a.page, event.eventId), enter(b.page, event.eventId)]);
  const section = await openSection(a.page, 3);
  await openSection(b.page, section);
  const seats = await chooseInTable(a.page, 2, 4);
  await hold(a.page);
  await shows(b.page, seats, "1");
  await cell(b.page, seats[0]!).click({ force: true }); // a held seat cannot be chosen
  assert.equal(await cell(b.page, seats[0]!).getAttribute("aria-selected"), "false");

  await pay(a.page, "approve");
  await a.page.waitForURL(/\/orders\//);
  await a.page.waitForSelector(".qr >> nth=1");
  await becomes(() => a.page.locator("[data-ticket]").count(), 2);
  const ids = await a.page.locator("[data-ticket]").evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset.ticket!));
  const claims = await Promise.all([0, 1].map(async (n) => readTicket(await scan(a.page, n), URL_)));
  assert.deepEqual(claims.map((c) => String(c.ordinal)).sort(), [...seats].sort());
  assert.deepEqual(claims.map((c) => c.ticket), ids.map((i) => i.replaceAll("-", "").toLowerCase()));

  await shows(b.page, seats, "2");
  assert.deepEqual([a.trouble, b.trouble], [[], []]);
});

test("a declined payment keeps the seats; paying again works", async () => {
  const { page, trouble } = await newFan(browser);
  await enter(page, (await stadium()).eventId);
  await page.click(".best .button.wide");
  await page.waitForSelector("#checkout");
  await pay(page, "decline");
  await page.waitForURL(/\/pay\//);
  await page.getByRole("button", { name: "Try again" }).click();
  await pay(page, "approve");
  await page.waitForURL(/\/orders\//);
  await page.waitForSelector(".qr");
  assert.deepEqual(trouble, []);
});

test("seats that somebody took are explained, the rest of the choice stays, and the nearest like them are one press away", async () => {
  const event = await stadium();
  const [a, b] = await Promise.all([newFan(browser), newFan(browser)]);
  await Promise.all([enter(a.page, event.eventId), enter(b.page, event.eventId)]);
  await openSection(b.page, await openSection(a.page, 7));
  await choose(b.page, await chooseInTable(a.page, 1));
  await chooseInTable(b.page, 1, 6);
  await hold(a.page);
  await b.page.waitForSelector(".notice.warn");
  await says(() => b.page.textContent(".notice"), /was taken a moment ago/);
  await becomes(() => b.page.locator(".dock .chosen li").count(), 1);
  const names = (): Promise<string[]> => b.page.locator(".dock .chosen li b").allTextContents();
  const [rest] = await names();
  await b.page.getByRole("button", { name: /^Take .* instead$/ }).click();
  await b.page.waitForFunction(() => document.querySelectorAll(".dock .chosen li").length === 2);
  const seat = (name: string): number => Number(/seat (\d+)$/.exec(name)![1]);
  assert.ok((await names()).some((name) => Math.abs(seat(name) - seat(rest!)) === 1), "it is beside the seat that was left");
  assert.deepEqual([a.trouble, b.trouble], [[], []]);
});

test("a reload in the middle of a hold shows the same hold; giving it back frees the seats", async () => {
  const { page, trouble } = await newFan(browser);
  await enter(page, (await stadium()).eventId);
  const section = await openSection(page, 11);
  const [seat] = await chooseInTable(page, 1);
  await hold(page);
  await page.reload();
  await page.waitForSelector("#checkout");
  await openSection(page, section);
  await shows(page, [seat!], "5");
  await giveBack(page);
  await page.waitForSelector(`.grid td[data-o="${seat}"][data-look="0"]`);
  assert.deepEqual(trouble, []);
});

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { stadium } from "./fan.ts";
import { news, ready, unknownEvent } from "./widget.ts";

const PARTNER = process.env.PLATEIA_PARTNER ?? "";
let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());
afterEach(closeFans);

const WIDE = { width: 1280, height: 900 };

const open = async (page: Page, path: string): Promise<void> => {
  await news(page);
  await page.setViewportSize(WIDE);
  await page.goto(`${PARTNER}${path}`);
};

test("who comes back from their mail finds the frame beside the map as they left it, and the event's title once", async () => {
  const { page } = await newFan(browser);
  await open(page, "/");
  await ready(page);
  await page.locator(".best .button.wide").click();
  const frame = page.frameLocator("plateia-map iframe");
  await frame.locator("#email").waitFor();
  await frame.locator("body.titled").waitFor();
  const title = frame.locator("#title");
  assert.notEqual(await title.innerText(), "");
  assert.ok((await title.boundingBox())!.width <= 1, "those who see the page have the title beside the frame");

  const asked = page.waitForResponse((r) => /\/v1\/events\/[0-9a-f-]+$/.test(new URL(r.url()).pathname));
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await (await asked).finished();
  await page.evaluate(() => new Promise((done) => setTimeout(done, 300))); // what the answer changes is changed at once
  assert.ok(await page.locator("dialog.pl-desk").evaluate((d) => (d as HTMLDialogElement).open));

  await page.setViewportSize({ width: 700, height: 900 }); // now it lies over the title
  await frame.locator("body:not(.titled)").waitFor();
});

test("an event that is not there takes no more room than what says so; one that is there has it back", async () => {
  const { page } = await newFan(browser);
  await open(page, `/?event=${unknownEvent}`);
  const element = page.locator("plateia-map"), card = element.locator(".state");
  await card.waitFor();
  const high = async (): Promise<number> => (await element.boundingBox())!.height;
  assert.ok(await high() < (await card.boundingBox())!.height + 40, `${await high()} pixels`);
  await element.evaluate((e, event) => e.setAttribute("event", event), (await stadium()).eventId);
  await ready(page);
  assert.equal(await high(), 42 * 16);

  await element.evaluate((e, event) => {
    (e as HTMLElement).style.height = "500px"; // a partner's own height stays
    e.setAttribute("event", event);
  }, unknownEvent);
  await card.waitFor();
  assert.equal(await high(), 500);
});

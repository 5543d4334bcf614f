import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, MOVING, newFan, PHONE } from "./browser.ts";
import { standsEverything } from "./layouts.ts";
import { chooseInTable, hold, openSection, pay, signIn, stadium, URL_ } from "./fan.ts";
import { last } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

/** Nothing may be wider than the screen. */
async function noSideways(page: Page, where: string): Promise<void> {
  const [wide, view] = await last(() => page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]), ([w, v]) => w! <= v!);
  assert.ok(wide! <= view!, `${where}: ${wide} px in a view of ${view} px`);
}

const walks: [string, BrowserContextOptions][] = [["desktop", MOVING], ["narrow phone", { ...PHONE, viewport: { width: 320, height: 640 } }]];

for (const [name, options] of walks) {
  test(`axe finds nothing serious on any page, light and dark, and nothing is too wide, whatever the screen, the text and the direction: ${name}`, async () => {
    const { page, trouble } = await newFan(browser, options);
    const look = async (where: string): Promise<void> => {
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme });
        await audit(page, `${where}, ${colorScheme}`);
      }
      if (name === "desktop") return standsEverything(page, where);
      await noSideways(page, where);
      await page.setViewportSize(PHONE.viewport!);
      await audit(page, `${where}, a wider phone`);
      await noSideways(page, `${where}, a wider phone`);
      await page.setViewportSize(options.viewport!);
    };
    const event = await stadium();
    await page.goto(URL_);
    await page.waitForSelector(".card h2");
    await look("event list");
    await page.fill("#q", "zzzz no such event");
    await page.waitForSelector(".state");
    await look("nothing found");
    await page.goto(`${URL_}/orders`);
    await page.waitForSelector("#email");
    await look("orders, signed out");
    await page.goto(`${URL_}/events/${event.eventId}`);
    await page.waitForSelector("#email");
    await page.waitForSelector(".map[data-level]");
    await look("door");
    await signIn(page);
    await page.waitForSelector(".best");
    await look("seats");
    await openSection(page, 2);
    await chooseInTable(page, 2, 3);
    await look("chosen");
    await hold(page);
    await look("held");
    await page.click("#checkout");
    await page.waitForSelector("#to-provider");
    await look("pay");
    const paying = page.url();
    await page.click("#to-provider");
    await page.waitForSelector('button[value="step"]');
    await look("the provider's page");
    await page.click('button[value="step"]');
    await page.waitForSelector('button[value="confirm"]');
    await look("the provider's second page");
    await page.goto(paying);
    await page.waitForSelector("#to-provider");
    await pay(page, "decline");
    await page.waitForSelector("#pay-again");
    await look("declined");
    await page.locator("#pay-again").click();
    await pay(page, "approve");
    await page.waitForSelector(".qr");
    await look("order");
    await page.goto(`${URL_}/orders`);
    await page.waitForSelector(".order-list .card");
    await look("orders");
    assert.deepEqual(trouble, []);
  });
}

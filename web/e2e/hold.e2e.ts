import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { closeFans, type Fan, launch, newFan } from "./browser.ts";
import { database } from "./database.ts";
import { atTheSeats, chooseInTable, codeFor, enter, hold, newEmail, openSection, pay, shows, stadium, URL_ } from "./fan.ts";
import { withoutLine } from "./line.ts";
import { becomes, says } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

/** What fails on a fan's first visit, from the list to the seats. */
async function firstVisit({ page }: Fan): Promise<string[]> {
  const failed: string[] = [];
  page.on("response", (r) => r.status() >= 400 && failed.push(`${r.status()} ${r.request().method()} ${r.url()}`));
  page.on("requestfailed", (r) => failed.push(`${r.failure()?.errorText} ${r.url()}`));
  await page.goto(URL_);
  await page.waitForSelector(".card h2");
  await page.waitForLoadState("networkidle"); // leaving earlier would itself cancel what the list asks for
  await page.goto(`${URL_}/events/${(await stadium()).eventId}`);
  const email = newEmail();
  await page.fill("#email", email);
  await page.press("#email", "Enter");
  await page.waitForSelector("#code");
  await page.evaluate(() => { // from the sixth digit on, Enter in every task until the form is gone
    const code = document.querySelector<HTMLInputElement>("#code")!;
    const form = code.form!;
    const again = (): void => {
      if (!form.isConnected) return;
      form.requestSubmit();
      setTimeout(again);
    };
    code.addEventListener("input", () => code.value.length === 6 && again());
  });
  await page.fill("#code", await codeFor(email));
  await atTheSeats(page);
  return failed;
}

test("a first visit has no failed request, also when Enter follows the sixth digit", async () => {
  assert.deepEqual(await withoutLine(browser, firstVisit), []); // whoever is sent to the line leaves a page that is still loading
});

test("a payment that has begun is found again from another tab", async () => {
  const { page, trouble } = await newFan(browser);
  const event = await stadium();
  await enter(page, event.eventId);
  await openSection(page, 13);
  await chooseInTable(page, 1);
  await hold(page);
  await page.click("#checkout");
  await page.waitForURL(/\/pay\//);
  const payment = new URL(page.url()).pathname;
  await page.waitForSelector("#to-provider");
  const other = await page.context().newPage();
  await other.goto(`${URL_}/events/${event.eventId}`);
  await other.click(`.hold a[href="${payment}"]`);
  await pay(other, "approve");
  await other.waitForURL(/\/orders\//);
  await other.waitForSelector(".qr");
  assert.deepEqual(trouble, []);
});

test("when the time runs out on screen the page says so and the same seats can be held again", async (t) => {
  const sql = database();
  if (!sql) return t.skip("no private database to reach");
  const { page, trouble } = await newFan(browser);
  await enter(page, (await stadium()).eventId);
  const section = await openSection(page, 17);
  const [seat] = await chooseInTable(page, 1);
  const answer = page.waitForResponse((r) => r.url().endsWith("/holds") && r.request().method() === "POST");
  await hold(page);
  const { holdId } = (await (await answer).json()) as { holdId: string };
  sql(`update hold set expires_at = now() + interval '25 seconds' where hold_id = '${holdId}'`);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))); // the page looks again, as after a sleep
  await page.waitForSelector('.hold[data-urgency="now"]');
  await page.waitForSelector("#checkout", { state: "detached" });
  await says(() => page.textContent(".notice.warn"), /Your time ran out/);
  await page.getByRole("button", { name: "Hold the same seats again" }).click();
  await page.waitForSelector("#checkout");
  await becomes(() => page.locator(".hold .chosen li").count(), 1);
  await becomes(() => page.locator(".notice").count(), 0);
  await openSection(page, section);
  await shows(page, [seat!], "5");
  assert.deepEqual(trouble, []);
});

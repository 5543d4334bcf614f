import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { database } from "./database.ts";
import { chooseInTable, enter, get, hold, openSection, pay, stadium, URL_ } from "./fan.ts";
import { newEvent } from "./room.ts";
import { says } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

test("what becomes of one's own hold in another tab is told in this one, and only to its owner", async () => {
  const [mine, theirs] = await Promise.all([newFan(browser), newFan(browser)]);
  const { eventId } = await stadium();
  await Promise.all([enter(mine.page, eventId), enter(theirs.page, eventId)]);
  const section = await openSection(mine.page, 23);
  const [seat] = await chooseInTable(mine.page, 1);
  await hold(mine.page);
  await openSection(theirs.page, section);
  const asked: string[] = [], since = Date.now();
  theirs.page.on("request", (r) => /\/holds\/mine$/.test(r.url()) && asked.push(r.url()));

  const other = await mine.page.context().newPage();
  await other.goto(`${URL_}/events/${eventId}`);
  await other.waitForSelector("#checkout");
  await pay(other, "approve");
  await other.waitForURL(/\/orders\//);

  await mine.page.waitForSelector(".notice.ok"); // nothing but the notice says this
  await says(() => mine.page.textContent(".notice.ok"), /Your order is confirmed/);
  await theirs.page.waitForSelector(`.grid td[data-o="${seat}"][data-look="2"]`);
  assert.equal(await theirs.page.locator(".notice").count(), 0);
  const looks = 1 + Math.ceil((Date.now() - since) / 30_000); // twice a minute it looks anyway
  assert.ok(asked.length <= looks, `a stranger's page looked ${asked.length} times`);
  await mine.page.getByRole("link", { name: "See your tickets" }).click();
  await mine.page.waitForSelector(".qr");
  assert.deepEqual([mine.trouble, theirs.trouble], [[], []]);
});

test("a page that waits for the sale is told when it begins, though it cannot ask and caches say otherwise", async (t) => {
  const sql = database();
  if (!sql) return t.skip("no private database to reach");
  const { page, trouble } = await newFan(browser);
  const eventId = await newEvent(3 * 86_400);
  const soon = page.getByText("Not on sale yet");
  await page.goto(`${URL_}/events/${eventId}`);
  await soon.waitFor();
  await page.waitForSelector('.live[data-state="live"]');
  const before = await (await get(`${URL_}/v1/events/${eventId}`)).text();
  assert.equal((JSON.parse(before) as { state: string }).state, "scheduled");
  await page.route(`**/v1/events/${eventId}`, (r) => r.fulfill({ body: before, contentType: "application/json" }));
  sql(`update event set on_sale_at = now() - interval '1 hour', version = version + 1 where event_id = '${eventId}'`); // the product opens it
  await page.waitForSelector("#email"); // the door
  const looked = page.waitForResponse((r) => r.url().endsWith(`/v1/events/${eventId}`));
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))); // it looks again, and is told the old state
  await looked;
  await page.waitForTimeout(200); // for it to be shown
  assert.equal(await soon.count(), 0);
  assert.equal(await page.locator("#email").count(), 1);
  assert.deepEqual(trouble, []);
});

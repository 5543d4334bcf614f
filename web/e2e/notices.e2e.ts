import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { enter, hold, chooseInTable, openSection, pay, stadium, URL_ } from "./fan.ts";

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
  assert.match((await mine.page.textContent(".notice.ok"))!, /Your order is confirmed/);
  await theirs.page.waitForSelector(`.grid td[data-o="${seat}"][data-look="2"]`);
  assert.equal(await theirs.page.locator(".notice").count(), 0);
  const looks = 1 + Math.ceil((Date.now() - since) / 30_000); // twice a minute it looks anyway
  assert.ok(asked.length <= looks, `a stranger's page looked ${asked.length} times`);
  await mine.page.getByRole("link", { name: "See your tickets" }).click();
  await mine.page.waitForSelector(".qr");
  assert.deepEqual([mine.trouble, theirs.trouble], [[], []]);
});

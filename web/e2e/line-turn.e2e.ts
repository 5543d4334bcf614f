import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan } from "./browser.ts";
import { atTheSeats } from "./fan.ts";
import { awayFan, goesIn, join } from "./line.ts";
import { canMake, newEvent, showsBoard } from "./room.ts";
import { says } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

test("whoever is away when the turn comes hears it and goes in by a press; another device takes the place over", async (t) => {
  if (!canMake()) return t.skip("no private database to reach");
  const event = await newEvent(-60);
  const { page, trouble } = await awayFan(browser);
  const email = await join(page, event);
  await showsBoard(page, "turn");
  await says(() => page.title(), /^● It is your turn!/);
  await audit(page, "the turn");

  const device = await newFan(browser); // within a minute of the first binding it has to wait, and does
  await join(device.page, event, email);
  await goesIn(device.page, event);
  await atTheSeats(device.page);
  await page.click("#go-in");
  await showsBoard(page, "elsewhere");
  await audit(page, "another device");
  assert.deepEqual([trouble, device.trouble], [[], []]);
});

test("a missed turn is not the end of it: the page says what happens next", async (t) => {
  if (!canMake()) return t.skip("no private database to reach");
  const event = await newEvent(-60, 60);
  const { page, trouble } = await awayFan(browser);
  await join(page, event);
  await showsBoard(page, "turn");
  await page.waitForSelector('#board[data-view="missed"]:has-text("not sent to the end")'); // a minute later; the second chance may come soon after
  await page.reload();
  await showsBoard(page, "missed", "turn"); // the second chance may come by
  await audit(page, "a missed turn");
  assert.deepEqual(trouble, []);
});

import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan, PHONE } from "./browser.ts";
import { atTheSeats, signIn, URL_ } from "./fan.ts";
import { fillTheShop, goesIn, join, seats } from "./line.ts";
import { canLead, limit, newEvent, pause, restart, resume, showsBoard } from "./room.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

test("late: a full shop leads to the line; offline, pause and a reload keep the place; then the turn", async (t) => {
  if (!(await canLead())) return t.skip("no private database or operator's key");
  const event = await newEvent(-60);
  await fillTheShop(browser, event);
  const { page, trouble } = await newFan(browser, { ...PHONE, viewport: { width: 320, height: 640 }, colorScheme: "dark" });
  await page.goto(`${URL_}/events/${event}`);
  await signIn(page);
  await page.waitForURL(/\/line\//); // not let in at once: there is a line
  await showsBoard(page, "place", "turn");
  await page.reload();
  await showsBoard(page, "place", "turn");
  await audit(page, "in line");
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth); // nothing scrolls sideways

  await page.context().setOffline(true);
  await page.waitForSelector("text=No connection since");
  await page.context().setOffline(false);
  await page.waitForSelector("text=No connection since", { state: "detached" });

  await pause(event, "The payment company does not answer.");
  await showsBoard(page, "paused");
  await page.waitForSelector("text=The payment company does not answer.");
  await page.waitForSelector("text=Next update at");
  await audit(page, "a pause");
  await resume(event);
  await showsBoard(page, "place", "turn");
  await limit(event, 10);
  await goesIn(page, event);
  await atTheSeats(page);
  assert.deepEqual(trouble, []);
});

test("a line that is started anew says so, and one press brings a new place", async (t) => {
  if (!(await canLead())) return t.skip("no private database or operator's key");
  const event = await newEvent(-60);
  await fillTheShop(browser, event);
  const { page, trouble } = await newFan(browser);
  await join(page, event);
  await showsBoard(page, "place", "turn");
  await restart(event);
  await showsBoard(page, "restarted");
  await audit(page, "started anew");
  await page.getByRole("button", { name: "Join the line" }).click();
  await Promise.race([showsBoard(page, "place", "turn", "draw"), page.waitForURL(seats(event))]); // it may be over before anybody looks
  assert.deepEqual(trouble, []);
});

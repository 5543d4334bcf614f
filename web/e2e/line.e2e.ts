import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, type Fan, launch, newFan, PHONE } from "./browser.ts";
import { atTheSeats, enter, newEmail, signIn, stadium, URL_ } from "./fan.ts";
import { canLead, canMake, limit, newEvent, pause, restart, resume, showsBoard } from "./room.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

const SINCE_ENTRY = ["entered", "draw", "place", "turn"]; // however slow the machine is

const line = (event: string): string => `${URL_}/line/${event}`;
const seats = (event: string) => (u: URL): boolean => u.pathname === `/events/${event}`;

/** A fan whose tab is behind others: nobody sees it, and whose turn comes is not there. */
async function awayFan(options = {}): Promise<Fan> {
  const fan = await newFan(browser, options);
  await fan.page.addInitScript(() => Object.defineProperty(document, "hidden", { get: () => true }));
  return fan;
}

/** Goes to the line and takes a place. */
async function join(page: Page, event: string, email = newEmail()): Promise<string> {
  await page.goto(line(event));
  await signIn(page, email);
  return email;
}

/** Somebody who is inside and stays, so that others wait. */
async function fillTheShop(event: string): Promise<void> {
  await limit(event, 1);
  const { page } = await newFan(browser);
  await enter(page, event);
}

test("an event that nobody crowds shows no line: from the door to the seats without leaving the page", async () => {
  const { page, trouble } = await newFan(browser);
  const paths: string[] = [];
  page.on("framenavigated", (f) => f === page.mainFrame() && paths.push(new URL(f.url()).pathname));
  await enter(page, (await stadium()).eventId);
  assert.equal(paths.filter((p) => p.startsWith("/line/")).length, 0);
  assert.deepEqual(trouble, []);
});

test("the lottery: enter before the sale, reload, draw, turn, seats; and the proof of one's own place", async (t) => {
  if (!canMake()) return t.skip("no private database to reach");
  const event = await newEvent(40);
  const here = await newFan(browser), away = await awayFan({ ...PHONE, reducedMotion: "reduce" });
  await here.page.goto(`${URL_}/events/${event}`);
  await here.page.getByRole("link", { name: "Enter the draw" }).click();
  await here.page.waitForURL(/\/line\//);
  await signIn(here.page);
  await showsBoard(here.page, ...SINCE_ENTRY);
  await here.page.reload(); // the place survives
  await showsBoard(here.page, ...SINCE_ENTRY);
  await join(away.page, event);
  await showsBoard(away.page, ...SINCE_ENTRY);
  await audit(away.page, "in the draw");
  const inside = here.page.waitForURL(seats(event)); // by itself, or by a press where the last one was over a minute ago
  await Promise.race([inside, here.page.waitForSelector("#go-in").then((button) => button.click()).catch(() => inside)]);
  await inside;
  await atTheSeats(here.page);

  await showsBoard(away.page, "turn");
  assert.match(await away.page.title(), /^● It is your turn!/);
  await away.page.click("#proof > summary");
  await away.page.click("#run-rank");
  await away.page.waitForFunction(() => /^The same as in line: [0-9a-f]{16}/.test(document.getElementById("own-rank")?.textContent ?? ""));
  assert.equal(await away.page.locator(".checks .bad").count(), 0);
  await audit(away.page, "the proof");
  await away.page.click("#go-in");
  await away.page.waitForURL(seats(event));
  assert.deepEqual([here.trouble, away.trouble], [[], []]);
});

test("late: a full shop leads to the line; offline, pause and a reload keep the place; then the turn", async (t) => {
  if (!(await canLead())) return t.skip("no private database or operator's key");
  const event = await newEvent(-60);
  await fillTheShop(event);
  const { page, trouble } = await newFan(browser, { ...PHONE, viewport: { width: 320, height: 640 }, colorScheme: "dark", reducedMotion: "reduce" });
  await page.goto(`${URL_}/events/${event}`);
  await signIn(page);
  await page.waitForURL(/\/line\//); // not let in at once: there is a line
  await showsBoard(page, "place", "turn");
  await page.reload();
  await showsBoard(page, "place", "turn");
  await audit(page, "in line");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing scrolls sideways");

  await page.context().setOffline(true);
  await page.waitForSelector("text=No connection since");
  await page.context().setOffline(false);
  await page.waitForSelector("text=No connection since", { state: "detached" });

  await pause(event, "The payment company does not answer.");
  await showsBoard(page, "paused");
  await page.waitForSelector("text=The payment company does not answer. Next update at");
  await audit(page, "a pause");
  await resume(event);
  await showsBoard(page, "place", "turn");
  await limit(event, 10);
  await page.waitForURL(seats(event));
  await atTheSeats(page);
  assert.deepEqual(trouble, []);
});

test("whoever is away when the turn comes hears it and goes in by a press; another device takes the place over", async (t) => {
  if (!canMake()) return t.skip("no private database to reach");
  const event = await newEvent(-60);
  const { page, trouble } = await awayFan();
  const email = await join(page, event);
  await showsBoard(page, "turn");
  assert.match(await page.title(), /^● It is your turn!/);
  await audit(page, "the turn");

  const device = await newFan(browser); // within a minute of the first binding it has to wait, and does
  await join(device.page, event, email);
  await device.page.waitForURL(seats(event));
  await atTheSeats(device.page);
  await page.click("#go-in");
  await showsBoard(page, "elsewhere");
  await audit(page, "another device");
  assert.deepEqual([trouble, device.trouble], [[], []]);
});

test("a missed turn is not the end of it: the page says what happens next", async (t) => {
  if (!canMake()) return t.skip("no private database to reach");
  const event = await newEvent(-60, 60);
  const { page, trouble } = await awayFan();
  await join(page, event);
  await showsBoard(page, "turn");
  await showsBoard(page, "missed"); // a minute later
  assert.match((await page.textContent("#board"))!, /not sent to the end/);
  await page.reload();
  await showsBoard(page, "missed", "turn"); // the second chance may come by
  await audit(page, "a missed turn");
  assert.deepEqual(trouble, []);
});

test("a line that is started anew says so, and one press brings a new place", async (t) => {
  if (!(await canLead())) return t.skip("no private database or operator's key");
  const event = await newEvent(-60);
  await fillTheShop(event);
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

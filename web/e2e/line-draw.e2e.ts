import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan, PATIENCE, PHONE } from "./browser.ts";
import { atTheSeats, enter, signIn, stadium, URL_ } from "./fan.ts";
import { awayFan, goesIn, join, seats, withoutLine } from "./line.ts";
import { canMake, newEvent, showsBoard } from "./room.ts";
import { says } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

const SINCE_ENTRY = ["entered", "draw", "place", "turn"]; // however slow the machine is

let pace = 10; // s that a fan takes from the address to the seats on this machine, now: who enters the draw needs about as much

test("an event that nobody crowds shows no line: from the door to the seats without leaving the page", async () => {
  await withoutLine(browser, async ({ page, trouble }) => {
    const began = performance.now();
    await enter(page, (await stadium()).eventId);
    pace = (performance.now() - began) / 1000;
    assert.deepEqual(trouble, []);
  });
});

test("the lottery: enter before the sale, reload, draw, turn, seats; and the proof of one's own place", async (t) => {
  if (!canMake()) return t.skip("no private database to reach");
  const opens = Math.ceil(40 + 5 * Math.min(pace, 50)), event = await newEvent(opens);
  const here = await newFan(browser), away = await awayFan(browser, PHONE);
  for (const { page } of [here, away]) page.setDefaultTimeout(opens * 1000 + PATIENCE);
  await here.page.goto(`${URL_}/events/${event}`);
  await here.page.getByRole("link", { name: "Enter the draw" }).click();
  await here.page.waitForURL(/\/line\//);
  await Promise.all([signIn(here.page), join(away.page, event)]);
  await Promise.all([showsBoard(here.page, ...SINCE_ENTRY), showsBoard(away.page, ...SINCE_ENTRY)]);
  await here.page.reload(); // the place survives
  await showsBoard(here.page, ...SINCE_ENTRY);
  await audit(away.page, "in the draw");
  await goesIn(here.page, event);
  await atTheSeats(here.page);

  await showsBoard(away.page, "turn");
  await says(() => away.page.title(), /^● It is your turn!/);
  await away.page.click("#proof > summary");
  await away.page.click("#run-rank");
  await away.page.waitForFunction(() => /^The same as in line: [0-9a-f]{16}/.test(document.getElementById("own-rank")?.textContent ?? ""));
  assert.equal(await away.page.locator(".checks .bad").count(), 0);
  await audit(away.page, "the proof");
  await away.page.click("#go-in");
  await away.page.waitForURL(seats(event));
  assert.deepEqual([here.trouble, away.trouble], [[], []]);
});

import { randomUUID } from "node:crypto";
import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan, PHONE } from "./browser.ts";
import { database } from "./database.ts";
import { giveEyes } from "./eyes.ts";
import { signIn, THEATRE, URL_ } from "./fan.ts";
import { standsEverything } from "./layouts.ts";
import { canMake, newEvent } from "./room.ts";
import { says } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

/** What somebody reads who comes to an event in this state. */
const STATES: [name: string, change: string, inSeconds: number, words: RegExp][] = [
  ["not on sale yet", "", 3 * 86_400, /Not on sale yet[^]*Sales open in\s*3 days[^]*Enter the draw[^]*Prices/],
  ["paused", "update event set state = 'paused' where event_id = $", -60, /Sales are paused[^]*Seats already held stay yours[^]*Prices/],
  ["closed", "update event set state = 'closed' where event_id = $", -60, /Sales have ended[^]*All events/],
  ["cancelled", "update event set state = 'cancelled' where event_id = $", -60, /was cancelled[^]*refunded[^]*My orders/],
  ["sold out", "update seat set status = 2, owner = gen_random_uuid() where event_id = $ and status = 0; update event_stock set sold = available, available = 0 where event_id = $",
    -60, /Sold out[^]*this page opens by itself/],
];

test("an event that nobody can buy says why, and what can be done", async (t) => {
  if (!canMake()) return t.skip("no private database to reach");
  const { page, trouble } = await newFan(browser, PHONE);
  const panel = (): Promise<string> => page.locator("#panel").innerText();
  for (const [name, change, inSeconds, words] of STATES) {
    const event = await newEvent(inSeconds);
    if (change) database()!(change.replaceAll("$", `'${event}'`));
    await page.goto(`${URL_}/events/${event}`);
    await page.waitForSelector('.live[data-state="live"]', { state: "attached" }); // an event that is over does not show that it is live
    await page.waitForSelector(".state, .soon");
    await says(panel, words, name);
    await audit(page, name);
    if (name !== "not on sale yet" && name !== "sold out") continue;
    await standsEverything(page, name);
    if (name === "sold out") { // one comes free: a person gave it back
      database()!(`update seat set status = 0, owner = null, version = version + 1 where event_id = '${event}' and ordinal = 5; update event_stock set sold = sold - 1, available = 1 where event_id = '${event}'`);
      await page.reload();
      await page.waitForSelector("#email");
    }
  }
  assert.deepEqual(trouble, []);
});

test("an event that is not there, a blocked interface and a map that does not load are said in words", async () => {
  const { page } = await newFan(browser), panel = (): Promise<string> => page.locator("#panel").innerText();
  await page.goto(`${URL_}/events/${randomUUID()}`);
  await page.waitForSelector(".state");
  await says(panel, /No such event/);
  await audit(page, "no such event");
  await standsEverything(page, "no such event");

  await page.route(/\/v1\//, (route) => route.abort());
  await page.goto(`${URL_}/events/${THEATRE}`);
  await page.waitForSelector(".state");
  await says(panel, /could not be loaded[^]*Plateia does not answer/);
  await audit(page, "blocked");
  await page.unrouteAll();
  await page.route(/\/v1\/charts\//, (route) => route.abort());
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForSelector("#map-bones .state");
  await page.waitForSelector("#email");
  await audit(page, "no map");
  await page.unrouteAll();
  await page.evaluate(() => document.querySelector<HTMLElement>("#map-bones .button")?.click()); // or it has come by itself meanwhile
  await page.waitForSelector(".map[data-level]");
});

test("a session that is over is said at the door, and so is a lost network on every page", async () => {
  const { page, trouble } = await newFan(browser, { forcedColors: "active" });
  await giveEyes(page);
  await page.goto(`${URL_}/events/${THEATRE}`);
  await signIn(page);
  await page.waitForSelector(".best");
  await audit(page, "seats in forced colours", ["color-contrast"]); // those are the system's
  await page.route(/\/holds$/, (route) => route.fulfill({ status: 401, contentType: "application/problem+json", json: { code: "UNAUTHENTICATED", status: 401 } }));
  await page.click(".best .button.wide");
  await page.waitForSelector("#email");
  await says(() => page.locator("#panel").innerText(), /Please sign in again\. We go on right where you were/);
  for (const [path, there] of [["/", ".card h2"], ["/orders", "#email"], [`/events/${THEATRE}`, "#email"]] as const) {
    await page.goto(`${URL_}${path}`);
    await page.waitForSelector(there);
    const sign = await page.locator(".top .arcs").evaluate((e) => eyes.contrast(eyes.rgb(getComputedStyle(e).stroke), eyes.ground(e.closest(".top"), "Canvas")));
    assert.ok(sign >= 3, `${path}: the sign in the header has a contrast of ${sign}`);
    await page.waitForLoadState("networkidle"); // a script that is still on its way would fail, and say so
    await page.context().setOffline(true);
    await page.waitForSelector(".net:not([hidden])");
    await audit(page, `${path} offline`, ["color-contrast"]);
    await page.context().setOffline(false);
    await page.waitForSelector(".net", { state: "hidden" });
  }
  assert.deepEqual(trouble.filter((m) => !/ERR_INTERNET_DISCONNECTED|WebSocket connection to/.test(m)), []);
});

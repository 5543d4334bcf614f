import { randomUUID } from "node:crypto";
import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import { type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { closeFans, launch, MOVING, newFan, PHONE } from "./browser.ts";
import { database } from "./database.ts";
import { atTheSeats, enter, hold, pay, signIn, THEATRE, URL_ } from "./fan.ts";
import { pressUntil } from "./map-hand.ts";
import { goesIn } from "./line.ts";
import { canLead, limit, newEvent, showsBoard } from "./room.ts";
import { becomes, last } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

/** As the product keeps what is searched for: small letters without accents. */
const plain = (word: string): string => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Makes an event that can be found by a word of its own, and that is full: whoever comes now stands in line. */
async function fullHouse(word: string): Promise<string> {
  const event = await newEvent(-60);
  database()!(`update event set title = 'Noite ${word}', search = 'noite ${plain(word)}', rules = jsonb_set(rules, '{orphanMode}', '"off"') where event_id = '${event}'`);
  await limit(event, 1);
  await enter((await newFan(browser)).page, event);
  return event;
}

/** From the list to the line, as somebody does who knows a word of the title. */
async function findAndQueue(page: Page, event: string, word: string): Promise<void> {
  await page.goto(URL_);
  await page.fill("#q", word);
  await page.press("#q", "Enter");
  const found = page.locator(`.card a[href="/events/${event}"]`);
  await found.waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".card h2").length === 1);
  await found.click();
  await page.waitForSelector(".price-list"); // prices before anybody signs in
  await signIn(page);
  await page.waitForURL(/\/line\//);
  await showsBoard(page, "place", "turn"); // the door lets one knock when it cannot know that the place inside is taken
}

/** What the clock of the hold shows, s. */
const clockOf = async (page: Page): Promise<number> => {
  const [m, s] = (await page.textContent(".hold .clock b"))!.split(":");
  return Number(m) * 60 + Number(s);
};

/** s that the server gives the hold of an event. */
const leftOf = (event: string): number =>
  Number(database()!(`select extract(epoch from max(expires_at) - now()) from hold where event_id = '${event}' and state = 1`) || NaN);

const OFFLINE = 20_000, ASLEEP = 6000; // ms
const APART = 3; // s that the clock of the page may be off: less than the sleep

const walks: [string, BrowserContextOptions, boolean][] = [["desktop, 1280×800", MOVING, false], ["phone, 390×844 and fingers", PHONE, true]];

for (const [name, options, touch] of walks) {
  test(`search, event, line, map, hold, pay, tickets; a reload, 20 s without network and a sleep lose nothing: ${name}`, async (t) => {
    if (!(await canLead())) return t.skip("no private database or operator's key");
    const word = `Kirschblüte${randomUUID().slice(0, 6)}`; // nobody else's
    const event = await fullHouse(word);
    const { page, trouble } = await newFan(browser, options);
    await findAndQueue(page, event, word);
    await limit(event, 10);
    await goesIn(page, event);
    await atTheSeats(page);

    await pressUntil(page, ".dock .chosen li", [0.3, 0.3], [0.7, 0.7], touch);
    await inReach(page, ".dock .button.wide");
    await hold(page);
    await inReach(page, "#checkout");
    const held = (): Promise<string[]> => page.locator(".hold .chosen b").allTextContents(), seats = await held();
    assert.ok(seats.length > 0);

    await page.context().setOffline(true);
    await page.waitForSelector(".net:not([hidden])");
    await page.waitForSelector('.live[data-state="offline"]');
    await page.waitForTimeout(OFFLINE);
    assert.deepEqual(await held(), seats, "what is held stays on the screen");
    await page.context().setOffline(false);
    await page.waitForSelector(".net", { state: "hidden" });
    await page.waitForSelector('.live[data-state="live"]');

    const cdp = await page.context().newCDPSession(page); // the phone sleeps: no timer runs
    await cdp.send("Page.setWebLifecycleState", { state: "frozen" });
    await new Promise((done) => setTimeout(done, ASLEEP));
    await cdp.send("Page.setWebLifecycleState", { state: "active" });
    const apart = async (): Promise<number> => Math.abs((await clockOf(page)) - leftOf(event));
    const off = await last(apart, (s) => s < APART); // it ticks four times a second, and does not catch up otherwise
    assert.ok(off < APART, `the clock is ${off} s off`);

    await page.reload();
    await page.waitForSelector("#checkout");
    await becomes(held, seats);
    await page.click("#checkout");
    await page.waitForSelector("#to-provider");
    await page.goBack(); // and the back button
    await page.waitForSelector('.hold a[href^="/pay/"]');
    await page.click('.hold a[href^="/pay/"]');
    await pay(page, "approve");
    await page.waitForURL(/\/orders\//);
    await page.waitForSelector(".qr");
    await becomes(() => page.locator("[data-ticket]").count(), seats.length);
    await page.click('a[href="/orders"]'); // and they are found again
    await page.waitForSelector(`.order-list .card:has-text("${word}")`);
    assert.deepEqual(trouble.filter((m) => !/ERR_INTERNET_DISCONNECTED|WebSocket connection to/.test(m)), []);
  });
}

/** Whether a button is on the screen and nothing lies over it. */
async function inReach(page: Page, selector: string): Promise<void> {
  await page.waitForFunction((s) => {
    const r = document.querySelector(s)?.getBoundingClientRect();
    if (!r || r.height === 0) return false;
    return document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2)?.closest(s) !== null && r.bottom <= innerHeight;
  }, selector);
}

test("a purchase without the map: it is not there, and nobody misses it", async () => {
  const { page, trouble } = await newFan(browser);
  await page.addInitScript(() => {
    const style = new CSSStyleSheet();
    style.replaceSync("#map { display: none !important }");
    document.adoptedStyleSheets.push(style);
  });
  await page.goto(`${URL_}/events/${THEATRE}`);
  await signIn(page);
  await page.waitForSelector(".best");
  await page.click(".fold > summary");
  for (const [list, option] of [["#pick-section", "2"], ["#pick-row", null], ["#pick-seat", null]] as const) {
    await page.waitForFunction((s) => (document.querySelector(s) as HTMLSelectElement | null)?.options.length! > 1, list);
    await page.selectOption(list, option === null ? { index: 1 } : { index: Number(option) });
  }
  await page.click(".fold form button:not(.see)");
  await page.waitForSelector(".dock .chosen li");
  await hold(page);
  await pay(page, "approve");
  await page.waitForURL(/\/orders\//);
  await page.waitForSelector(".qr");
  assert.deepEqual(trouble, []);
});

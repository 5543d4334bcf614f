import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan, PHONE } from "./browser.ts";
import { get, URL_ } from "./fan.ts";
import { becomes, last, says, until } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

const RIO = "Rio de Janeiro", SAMBA = "Samba da Lua Cheia", IMPROV = "Improv Sessions: The Late Show";

/** Waits until the list shows these events, in any order, and no others. */
const shows = (page: Page, ...titles: string[]): Promise<true> => until(`the list does not show ${titles.join(", ")}`, async () => {
  const shown = await page.locator('#cards[aria-busy="false"] h2').allInnerTexts();
  return shown.sort().join() === titles.sort().join() || undefined;
});

/** What is listed of a question, by title. */
async function listed(query: string): Promise<{ title: string; startsAt: string; timeZone: string }[]> {
  return ((await (await get(`${URL_}/v1/events?${query}`)).json()) as { events: { title: string; startsAt: string; timeZone: string }[] }).events;
}

test("words, then a city, a genre and a day; every step is in the address, and back leads back", async () => {
  const { page, trouble } = await newFan(browser);
  await page.goto(URL_);
  await page.waitForSelector("#cards h2");
  await page.fill("#q", "KIOKU 記憶");
  await shows(page, "記憶 Kioku – 冬のコンサート");
  await page.waitForURL((u) => u.searchParams.get("q") === "KIOKU 記憶");

  await page.fill("#q", "rio de ja");
  await page.click(`#meant button:has-text("${RIO}")`);
  const inRio = (await listed(`city=${encodeURIComponent(RIO)}`)).map((e) => e.title);
  assert.ok(inRio.includes(SAMBA) && inRio.length >= 2);
  await shows(page, ...inRio);
  await page.waitForURL((u) => u.search === "?city=Rio+de+Janeiro");

  await page.focus("#f-genre");
  await page.locator('#f-genre option[value="Samba"]').waitFor({ state: "attached" });
  await page.selectOption("#f-genre", "Samba");
  await shows(page, SAMBA);
  await page.click(`.card a:has-text("${SAMBA}")`);
  await page.waitForURL(/\/events\//);
  await page.goBack();
  await shows(page, SAMBA);
  await page.goBack();
  await shows(page, ...inRio);
  await page.goForward();
  await page.reload();
  await shows(page, SAMBA);
  await becomes(() => page.locator("#f-genre").inputValue(), "Samba");
  await becomes(() => page.locator("#f-city").inputValue(), RIO);
  await audit(page, "a narrowed list");

  const samba = (await listed("genre=samba")).find((e) => e.title === SAMBA)!;
  const day = new Date(samba.startsAt).toLocaleDateString("sv", { timeZone: samba.timeZone });
  await page.selectOption("#f-when", "own");
  await page.fill("#f-from", day);
  await page.fill("#f-to", day);
  await page.waitForURL((u) => u.searchParams.get("from") === day && u.searchParams.get("to") === day); // before it, the list shows the same
  await shows(page, SAMBA);
  await page.fill("#f-from", "2000-01-01");
  await page.fill("#f-to", "2000-01-02");
  await page.waitForSelector("#after .state");
  await page.waitForSelector("#after .others .card"); // what a wider question finds
  await audit(page, "nothing found");
  await page.click("#after .state button");
  await until("the whole list is not back", async () => ((await page.locator("#cards h2").count()) > 5 ? true : undefined));
  await page.waitForURL((u) => u.search === "");
  assert.deepEqual(trouble, []);
});

test("on a phone: filters in a sheet, and what is near, without telling the address where", async () => {
  const { page, trouble } = await newFan(browser, { ...PHONE, permissions: ["geolocation"], geolocation: { latitude: -22.91, longitude: -43.2 } });
  await page.goto(URL_);
  await page.waitForSelector("#cards h2");
  await page.waitForSelector("#finder", { state: "hidden" });
  await page.tap("#open-finder");
  await audit(page, "the sheet of filters");
  await page.tap("#near");
  await page.waitForSelector('#near[aria-pressed="true"]');
  await page.tap("#done-finder");
  await page.waitForSelector("#cards .far");
  await page.waitForURL((u) => u.search === "?near=me");
  await page.selectOption("#sort", "distance");
  await until("the nearest does not come first", async () => {
    const far = (await page.locator("#cards .far").allInnerTexts()).map((text) => parseFloat(text.replace(/^\D*/, "")));
    return far.length > 1 && far.every((km, i) => i === 0 || km >= far[i - 1]!) ? true : undefined;
  });
  await page.reload();
  await page.waitForSelector("#cards .far"); // the history remembers the place
  await page.tap("#chips .chip");
  await page.waitForSelector("#cards .far", { state: "detached" });
  assert.deepEqual(trouble, []);
});

test("times are those of the place, sales are counted down to, and a place that is not told is said", async () => {
  const { page, trouble } = await newFan(browser, { timezoneId: "Asia/Kathmandu" });
  await page.goto(`${URL_}/?q=improv`);
  await shows(page, IMPROV);
  const improv = (await listed("q=improv"))[0]!;
  const wall = new Date(improv.startsAt).toLocaleTimeString("en-US", { timeZone: "America/New_York", hour: "numeric", minute: "2-digit" });
  const plain = (text: string): string => text.replace(/[\u202f\u00a0]/g, " "), right = (text: string): boolean => plain(text).includes(plain(wall)) && / local time$/.test(text);
  const said = await last(async () => plain(await page.locator("#cards time").innerText()), right);
  assert.ok(right(said), said);
  await says(() => page.locator(".opens").innerText(), /^On sale in /);
  await page.context().clearPermissions();
  await page.click("#near");
  await page.waitForSelector("#near-told:not(:empty)");
  await becomes(() => page.locator("#near").getAttribute("aria-pressed"), "false");
  assert.deepEqual(trouble, []);
});

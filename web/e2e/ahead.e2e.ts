// Pages of events that the browser makes ready while somebody rests on their link.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BareBrowser, type BarePage } from "./bare-browser.ts";
import { STADIUM, URL_ } from "./fan.ts";
import { until } from "./wait.ts";

let browser: BareBrowser;
before(async () => { browser = await BareBrowser.open(); });
after(() => browser.close());

const LIVE = '.live[data-state="live"]';
const LINK = `document.querySelector('.card h2 a[href="/events/${STADIUM}"]')`;

/** The middle of the stadium's link on a list that has loaded. */
const linkAt = (page: BarePage): Promise<[number, number]> => until("no card of the stadium", () => browser.ask(page, `(() => {
  ${LINK}?.scrollIntoView({ block: "center" });
  const at = ${LINK}?.getBoundingClientRect();
  return at && [at.x + at.width / 2, at.y + at.height / 2];
})()`));

const shows = (page: BarePage, selector: string): Promise<true> =>
  until(`no ${selector}`, () => browser.ask(page, `document.querySelector('${selector}') ? true : undefined`));

const mouse = (page: BarePage, type: string, [x, y]: [number, number]): Promise<unknown> =>
  browser.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 }, page.session);

test("a page that is made ready ahead has its map, asks for public documents only, and opens no socket before it is seen", async () => {
  const list = await until("no page", () => Promise.resolve(browser.pages[0]));
  await browser.send("Page.navigate", { url: `${URL_}/events/${STADIUM}` }, list.session); // its parts are in the cache from now on
  await shows(list, LIVE);
  await browser.send("Page.navigate", { url: `${URL_}/` }, list.session);
  const ahead = await until("the browser makes nothing ready", async () => {
    const [x, y] = await linkAt(list); // a list that fills moves it
    await mouse(list, "mouseMoved", [x + (Date.now() % 2), y]); // rests there, as hands do
    return browser.pages.find((p) => p.ahead);
  });
  await shows(ahead, ".map[data-level]");
  assert.equal(await browser.ask(ahead, "document.prerendering"), true);
  assert.deepEqual(ahead.sockets, []);
  const asked = ahead.requests.map((url) => url.replace(URL_, "")).filter((path) => !/^\/(assets|events)\//.test(path));
  assert.ok(asked.length > 0 && asked.every((path) => new RegExp(`^/v1/(events/${STADIUM}|charts/[^/]+/\\d+)$`).test(path)), asked.join());

  const at = await linkAt(list);
  for (const type of ["mousePressed", "mouseReleased"]) await mouse(list, type, at);
  await until("the page is not seen", () => browser.ask(ahead, "document.prerendering ? undefined : true"));
  await until("no socket", () => Promise.resolve(ahead.sockets[0]));
  await shows(ahead, LIVE);
  assert.ok((await browser.ask<number>(ahead, `performance.getEntriesByType("navigation")[0].activationStart`)) > 0, "it was loaded anew");
});

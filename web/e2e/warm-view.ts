// npm run warm: how soon the seat map is seen by somebody who opens the address of a stadium's page with everything in the browser's
// cache, in Chromium as it is. Several addresses are opened in turn, each in a browser of its own, so that two builds can be compared
// on a machine that is not always as fast. RUNS (12) and RATE (1: how many times slower the processor is made) are in the environment.
import { BareBrowser, type BarePage } from "./bare-browser.ts";
import { STADIUM, URL_ } from "./fan.ts";
import { until } from "./wait.ts";

/** From the beginning of the navigation until frames were on the screen, in ms: the first with a text or box, and the first with the venue. */
interface View { first: number; venue: number }

const WARM = 3; // visits before it counts: the browser keeps compiled code from the second on
const PAUSE = 400; // ms on an empty page, until nothing of the visit before is left to do

/** Runs in every page. The browser says of texts only when they were on the screen: the map's sign is there from its first frame on. */
const WATCH = `(() => {
  const drawn = new MutationObserver(() => {
    if (!document.querySelector(".map[data-level]")) return;
    drawn.disconnect();
    document.querySelector(".live").setAttribute("elementtiming", "map");
  });
  drawn.observe(document, { subtree: true, attributes: true, attributeFilter: ["data-level"] });
  new PerformanceObserver((list) => {
    const entry = list.getEntries().find((e) => e.identifier === "map");
    if (entry) self.seen = entry.renderTime;
  }).observe({ type: "element" });
})()`;

/** What the page has seen once it is live; a map on which little is painted is none. */
const SEEN = `(() => {
  if (!self.seen || !document.querySelector('.live[data-state="live"]')) return undefined;
  const canvas = document.querySelector(".map-base"), { width: w, height: h } = canvas;
  const { data } = canvas.getContext("2d").getImageData(w / 4, h / 4, w / 2, h / 2);
  if (data.filter((v, i) => i % 4 === 3 && v > 0).length < data.length / 80) return { first: NaN, venue: NaN };
  return { venue: self.seen, first: performance.getEntriesByName("first-contentful-paint")[0].startTime };
})()`;

const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A browser's only page, which watches itself from now on. */
async function watched(browser: BareBrowser): Promise<BarePage> {
  const page = await until("no page", () => Promise.resolve(browser.pages[0]));
  await browser.send("Page.enable", {}, page.session);
  await browser.send("Page.addScriptToEvaluateOnNewDocument", { source: WATCH }, page.session);
  return page;
}

/** Opens an address as somebody does who types it. Nobody asks the page anything while it loads. */
async function open(browser: BareBrowser, page: BarePage, url: string, rate: number): Promise<View> {
  await browser.send("Page.navigate", { url: "about:blank" }, page.session);
  await until("no empty page", () => browser.ask(page, `location.href === "about:blank" || undefined`));
  await wait(PAUSE);
  await browser.send("Emulation.setCPUThrottlingRate", { rate }, page.session);
  await browser.send("Page.navigate", { url }, page.session);
  await wait(600 * rate);
  const view = await until("no map", () => browser.ask<View | undefined>(page, SEEN));
  await browser.send("Emulation.setCPUThrottlingRate", { rate: 1 }, page.session);
  return view;
}

const urls = process.argv.length > 2 ? process.argv.slice(2) : [URL_], runs = Number(process.env.RUNS ?? 12), rate = Number(process.env.RATE ?? 1);
const browsers = await Promise.all(urls.map(() => BareBrowser.open()));
try {
  const pages = await Promise.all(browsers.map(watched)), views = urls.map((): View[] => []);
  for (let run = -WARM; run < runs; run++) {
    for (const [i, url] of urls.entries()) {
      const view = await open(browsers[i]!, pages[i]!, `${url}/events/${STADIUM}`, run < 0 ? 1 : rate);
      if (run >= 0) views[i]!.push(view);
    }
  }
  urls.forEach((url, i) => {
    const figures = (["venue", "first"] as const).map((what) => {
      const all = views[i]!.map((v) => v[what]).sort((a, b) => a - b);
      return `${what} median ${all[all.length >> 1]!.toFixed(0)} ms, best ${all[0]!.toFixed(0)} ms`;
    });
    console.log(`${url}: ${figures.join("; ")}; ${runs} visits, processor slowed ${rate} times (${views[i]!.map((v) => v.venue.toFixed(0)).join(" ")})`);
  });
} finally {
  await Promise.all(browsers.map((b) => b.close()));
}

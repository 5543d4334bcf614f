import type { CDPSession, Page } from "playwright-core";
import { PATIENCE } from "./browser.ts";
import { STADIUM, stadium, URL_ } from "./fan.ts";
import { YARDSTICK, yardstick } from "./yardstick.ts";

/**
 * From the list of events to the seat map. ms from the press on its card until the frame in which the map was first drawn was on the
 * screen; navigation: of those, from the beginning of the navigation. painted: how much of the map's middle was, 0..1.
 * slower: how many times slower the machine was just before than the one on which budgets were measured, by the mean of its yardstick.
 */
export interface Visit { press: number; navigation: number; painted: number; slower: number }

const DWELL = 300; // ms that a pointer rests on the card before it presses
const REST = 500; // ms until the list has nothing more to do

/**
 * Runs in every page. When a frame is on the screen the browser says of texts only: the map's sign is there from its first frame on.
 * What is seen is told by a message of the console: to ask the page for it would bring the driver's own scripts in, 40 ms of them.
 */
function watch(): void {
  if (location.pathname === "/") {
    return addEventListener("click", (e) => sessionStorage.setItem("pressed", String(performance.timeOrigin + e.timeStamp)), true);
  }
  const drawn = new MutationObserver(() => {
    if (!document.querySelector(".map[data-level]")) return;
    drawn.disconnect();
    document.querySelector(".live")!.setAttribute("elementtiming", "map");
  });
  drawn.observe(document, { subtree: true, attributes: true, attributeFilter: ["data-level"] });
  new PerformanceObserver((list) => {
    const entry = list.getEntries().find((e) => (e as PerformanceEntry & { identifier: string }).identifier === "map") as (PerformanceEntry & { renderTime: number }) | undefined;
    if (!entry) return;
    const canvas = document.querySelector<HTMLCanvasElement>(".map-base")!, { width: w, height: h } = canvas;
    const { data } = canvas.getContext("2d")!.getImageData(w / 4, h / 4, w / 2, h / 2);
    const painted = data.filter((v, i) => i % 4 === 3 && v > 0).length / (data.length / 4), pressed = Number(sessionStorage.getItem("pressed"));
    console.debug(`seen ${JSON.stringify({ press: performance.timeOrigin + entry.renderTime - pressed, navigation: entry.renderTime, painted })}`);
  }).observe({ type: "element" });
}

/** Fills the cache of the page's browser, and answers how to visit again: with the processor slowed so many times. */
export async function visitor(page: Page): Promise<(rate: number) => Promise<Visit>> {
  const live = (): Promise<void> => page.locator('.live[data-state="live"]').waitFor();
  const cdp = await page.context().newCDPSession(page), { title } = await stadium();
  await page.goto(`${URL_}/events/${STADIUM}`);
  await live();
  await page.addInitScript(watch);
  return async (rate) => {
    await page.goto(`${URL_}/?q=${encodeURIComponent(title)}`);
    await hover(page);
    const { mean } = await page.evaluate(yardstick);
    const said = page.waitForEvent("console", { predicate: (m) => m.text().startsWith("seen "), timeout: PATIENCE });
    await slow(cdp, rate);
    await page.mouse.down();
    await page.mouse.up();
    const seen = JSON.parse((await said).text().slice(5)) as Omit<Visit, "slower">;
    await slow(cdp, 1);
    await live();
    return { ...seen, slower: Math.max(1, mean / YARDSTICK) };
  };
}

const slow = (cdp: CDPSession, rate: number): Promise<unknown> => cdp.send("Emulation.setCPUThrottlingRate", { rate });

/** Rests on the stadium's card, on a list that is at rest itself. */
async function hover(page: Page): Promise<void> {
  const card = page.locator(`.card h2 a[href="/events/${STADIUM}"]`).first();
  await card.scrollIntoViewIfNeeded();
  do {
    await page.waitForTimeout(REST);
    await card.hover();
    await page.waitForTimeout(DWELL);
  } while (!(await card.evaluate((a) => a.matches(":hover")))); // what came late has moved it away
}

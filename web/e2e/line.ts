import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
import { type Fan, newFan } from "./browser.ts";
import { enter, newEmail, signIn, URL_ } from "./fan.ts";
import { limit } from "./room.ts";

/** Whether an address is that of an event's page. */
export const seats = (event: string) => (u: URL): boolean => u.pathname === `/events/${event}`;

/** A fan whose tab is behind others: nobody sees it, and whose turn comes is not there. */
export async function awayFan(browser: Browser, options: BrowserContextOptions = {}): Promise<Fan> {
  const fan = await newFan(browser, options);
  await fan.page.addInitScript(() => Object.defineProperty(document, "hidden", { get: () => true }));
  return fan;
}

/** Goes to the line and takes a place. */
export async function join(page: Page, event: string, email = newEmail()): Promise<string> {
  await page.goto(`${URL_}/line/${event}`);
  await signIn(page, email);
  return email;
}

/** Waits until the page has gone in: by itself, or by a press where the last one was over a minute ago (PRESENT in src/line/page.ts). */
export async function goesIn(page: Page, event: string): Promise<void> {
  const inside = page.waitForURL(seats(event));
  await Promise.race([inside, page.waitForSelector("#go-in").then((button) => button.click()).catch(() => inside)]);
  await inside;
}

const SOON = 1000, TRIES = 5; // ms in which no door is called slow; fans

/**
 * A walk through the door of an event that nobody crowds, on which no line is seen. The door has two and a half seconds, or less
 * where it asks for patience itself (src/event/let-in.ts): a fan for whom a busy machine was slower is followed by another one.
 * A line that is shown before is shown to nobody. Answers what the walk without a line has found.
 */
export async function withoutLine<T>(browser: Browser, walk: (fan: Fan) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const fan = await newFan(browser), { page } = fan;
    let knocked: Request | undefined, led: Request | undefined;
    page.on("request", (r) => {
      if (r.method() === "POST" && r.url().endsWith("/queue")) knocked ??= r;
      if (r.isNavigationRequest() && new URL(r.url()).pathname.startsWith("/line/")) led ??= r;
    });
    const found = await walk(fan);
    assert.ok(knocked, "nobody has asked to be let in");
    if (!led) return found;
    const waited = led.timing().startTime - knocked.timing().startTime;
    assert.ok(waited > SOON && tries < TRIES, `fan ${tries} was led to the line after ${waited.toFixed(0)} ms`);
    await page.context().close();
  }
}

/** Somebody who is inside and stays, so that others wait. */
export async function fillTheShop(browser: Browser, event: string): Promise<void> {
  await limit(event, 1);
  const { page } = await newFan(browser);
  await enter(page, event);
}

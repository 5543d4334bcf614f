import type { Browser, BrowserContextOptions, Page } from "playwright-core";
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

/** Somebody who is inside and stays, so that others wait. */
export async function fillTheShop(browser: Browser, event: string): Promise<void> {
  await limit(event, 1);
  const { page } = await newFan(browser);
  await enter(page, event);
}

import type { Locator, Page } from "playwright-core";
import { PATIENCE } from "./browser.ts";
import { last, until } from "./wait.ts";

/** The product's address (tools/e2e.mjs starts it). */
export const URL_ = process.env.PLATEIA_URL ?? "";

/**
 * A request of the test itself, on a connection of its own: kept ones go stale while a browser works for a minute. "One moment"
 * (503), which the product says on a busy machine, is asked again.
 */
export async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const once = (): Promise<Response> => fetch(url, { ...init, headers: { ...init.headers, Connection: "close" }, signal: AbortSignal.timeout(PATIENCE) });
  return last(once, (answer) => answer.status !== 503);
}

export const get = (url: string): Promise<Response> => ask(url);

export interface Listed { eventId: string; title: string; capacity: number; state: string }

/** The demo stadium and theatre, by name: the list has copies of the theatre that tests have made, and only so many on a page. */
export const STADIUM = "5ad10000-0000-4000-8000-000000000001";

/** Strict about single seats, with standing room and accessible places. */
export const THEATRE = "5ad10000-0000-4000-8000-000000000002";

export const stadium = async (): Promise<Listed> => (await (await get(`${URL_}/v1/events/${STADIUM}`)).json()) as Listed;

let fans = 0;
export const newEmail = (): string => `fan${process.pid}x${++fans}@example.com`;

/** The codes mailed to an address, the newest first, read from the development inbox. */
async function mailed(email: string): Promise<string[]> {
  const html = await (await get(`${URL_}/dev/inbox`)).text();
  return html.split("<li>").filter((m) => m.includes(email)).flatMap((m) => m.match(/class="code">\s*(\d{6})/)?.[1] ?? []);
}

/** The newest code mailed to an address. */
export const codeFor = (email: string): Promise<string> => until(`no mail for ${email}`, async () => (await mailed(email))[0]);

/** Signs in at the door that the page shows. A second code for an address has to wait for a minute. */
export async function signIn(page: Page, email = newEmail()): Promise<string> {
  const before = await mailed(email);
  await page.fill("#email", email);
  await page.press("#email", "Enter");
  await page.waitForSelector("#code, .notice.bad");
  for (const end = Date.now() + PATIENCE; !(await page.locator("#code").count()) && Date.now() < end;) {
    await page.waitForTimeout(3000);
    if (await page.locator(".notice.bad").count()) await page.press("#email", "Enter", { timeout: 1000 }).catch(() => {}); // or it is gone by now
  }
  await page.fill("#code", await until(`no new mail for ${email}`, async () => (await mailed(email)).find((code) => !before.includes(code))));
  await page.waitForSelector("#code", { state: "detached" });
  return email;
}

/** Waits until seats can be chosen and every status on the page is the server's. */
export async function atTheSeats(page: Page): Promise<void> {
  await page.waitForSelector(".best");
  await page.waitForSelector('.live[data-state="live"]');
}

/** Opens an event and walks through its door to the seats. */
export async function enter(page: Page, eventId: string): Promise<string> {
  await page.goto(`${URL_}/events/${eventId}`);
  const email = await signIn(page);
  await atTheSeats(page);
  return email;
}

/** Opens the list at a section: the n-th of those that have seats, or the one with this value. Answers its value. */
export async function openSection(page: Page, which: number | string = 0): Promise<string> {
  if (!(await page.locator(".fold[open]").count())) await page.click(".fold > summary");
  await page.waitForFunction(() => document.querySelectorAll("#pick-section option").length > 1);
  const value = typeof which === "string" ? which : (await page.locator("#pick-section option").nth(which + 1).getAttribute("value"))!;
  await page.selectOption("#pick-section", value);
  await page.waitForSelector(".grid td");
  return value;
}

/** A seat in the open table, whatever has become of it. */
export const cell = (page: Page, o: string): Locator => page.locator(`.grid td[data-o="${o}"]`);

/** Chooses these seats of the open section in its table. */
export async function choose(page: Page, seats: readonly string[]): Promise<void> {
  for (const o of seats) {
    await cell(page, o).click();
    await page.waitForSelector(`.grid td[data-o="${o}"][aria-selected="true"]`);
  }
}

/** Chooses the first free seats of the open section after some that are skipped. Answers their ordinals. */
export async function chooseInTable(page: Page, count: number, skip = 0): Promise<string[]> {
  await page.locator('.grid td[data-look="0"]').nth(skip + count - 1).waitFor();
  const free = await page.locator('.grid td[data-look="0"]').evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset.o!));
  const seats = free.slice(skip, skip + count);
  await choose(page, seats);
  return seats;
}

/** Waits until the table shows all of these seats in this state (data-look), and answers when that was: ms of the machine's clock. */
export const shows = (page: Page, seats: readonly string[], look: string): Promise<number> => page.evaluate(async ([ordinals, want, patience]) => {
  const is = (o: string): boolean => document.querySelector<HTMLElement>(`.grid td[data-o="${o}"]`)?.dataset.look === want;
  for (const end = Date.now() + patience; !ordinals.every(is); await new Promise(requestAnimationFrame)) {
    if (Date.now() > end) throw new Error(`seats ${ordinals} do not become ${want}`);
  }
  return Date.now();
}, [seats, look, PATIENCE] as const);

/** Presses the hold button and waits for the hold. */
export async function hold(page: Page): Promise<void> {
  await page.click(".dock .button.wide");
  await page.waitForSelector("#checkout");
}

/** Gives the held seats back. */
export async function giveBack(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Give seats back" }).click();
  await page.getByRole("button", { name: "Give them back" }).click();
  await page.waitForSelector("#checkout", { state: "detached" });
}

/** Goes from the hold to the provider's page, answers there, and comes back. */
export async function pay(page: Page, outcome: "approve" | "decline" | "slow"): Promise<void> {
  if (await page.locator("#checkout").count()) await page.click("#checkout");
  await page.waitForURL(/\/pay\//);
  await page.click("#to-provider");
  await page.waitForURL(/\/sandbox2?\//);
  await page.click(`button[value="${outcome}"]`);
  await page.waitForURL((u) => !u.pathname.startsWith("/sandbox"));
}

/** Holds that many of the best seats. */
export async function holdBest(page: Page, n: number): Promise<void> {
  await page.waitForSelector(".best");
  for (let now = Number(await page.textContent("#quantity")); now !== n; now += now < n ? 1 : -1) {
    await page.click(`.stepper button:${now < n ? "last" : "first"}-child`);
  }
  await page.click(".best .button.wide");
  await page.waitForSelector("#checkout");
}

/** The order whose page is open. */
export const orderId = (page: Page): string => new URL(page.url()).pathname.split("/")[2]!;

/** Waits until the order's page says this (see src/order/view.ts). */
export const showsView = async (page: Page, view: string): Promise<void> => void (await page.waitForSelector(`[data-view="${view}"]`));

/** The status of a request for the picture of a ticket's code, asked for as the page does. */
export const codeOfTicket = (page: Page, ticket: string): Promise<number> => page.evaluate(async (id) => {
  const { sessionToken } = JSON.parse(localStorage.getItem("plateia.session")!) as { sessionToken: string };
  return (await fetch(`/v1/tickets/${id}.png`, { headers: { Authorization: `Bearer ${sessionToken}` } })).status;
}, ticket);

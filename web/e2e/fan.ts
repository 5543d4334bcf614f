import type { Page } from "playwright-core";

/** The product's address (tools/e2e.mjs starts it). */
export const URL_ = process.env.PLATEIA_URL ?? "";

/** A request of the test itself, on a connection of its own: kept ones go stale while a browser works for a minute. */
export const get = (url: string): Promise<Response> => fetch(url, { headers: { Connection: "close" } });

export interface Listed { eventId: string; title: string; capacity: number; state: string }

/** The biggest event on sale: the demo stadium. */
export async function stadium(): Promise<Listed> {
  const { events } = (await (await get(`${URL_}/v1/events`)).json()) as { events: Listed[] };
  const best = events.filter((e) => e.state === "on_sale").sort((a, b) => b.capacity - a.capacity)[0];
  if (!best) throw new Error("no event is on sale");
  return best;
}

let fans = 0;
export const newEmail = (): string => `fan${process.pid}x${++fans}@example.com`;

/** The newest code mailed to an address, read from the development inbox. */
export async function codeFor(email: string): Promise<string> {
  for (let i = 0; i < 50; i++) {
    const html = await (await get(`${URL_}/dev/inbox`)).text();
    const mail = html.split("<li>").find((m) => m.includes(email));
    const code = mail?.match(/class="code">\s*(\d{6})/)?.[1];
    if (code) return code;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`no mail for ${email}`);
}

/** Signs in at the door that the page shows. */
export async function signIn(page: Page, email = newEmail()): Promise<string> {
  await page.fill("#email", email);
  await page.press("#email", "Enter");
  await page.waitForSelector("#code");
  await page.fill("#code", await codeFor(email));
  await page.waitForSelector("#code", { state: "detached" });
  return email;
}

/** Opens an event and walks through its door to the seats. */
export async function enter(page: Page, eventId: string): Promise<string> {
  await page.goto(`${URL_}/events/${eventId}`);
  const email = await signIn(page);
  await page.waitForSelector(".best");
  await page.waitForSelector('.live[data-state="live"]');
  return email;
}

/** Opens the list and picks a section by the n-th of those that have seats, then shows its table. */
export async function openSection(page: Page, n = 0): Promise<string> {
  if (!(await page.locator(".fold[open]").count())) await page.click(".fold > summary");
  await page.waitForFunction(() => document.querySelectorAll("#pick-section option").length > 1);
  const value = await page.locator("#pick-section option").nth(n + 1).getAttribute("value");
  await page.selectOption("#pick-section", value!);
  await page.waitForSelector(".grid td");
  return value!;
}

/** Chooses free seats of the open section in its table. Answers their ordinals. */
export async function chooseInTable(page: Page, count: number, skip = 0): Promise<string[]> {
  const cells = page.locator('.grid td[data-look="0"]');
  const picked: string[] = [];
  for (let i = 0; i < count; i++) {
    const cell = cells.nth(skip);
    picked.push((await cell.getAttribute("data-o"))!);
    await cell.click();
  }
  return picked;
}

/** Presses the hold button and waits for the hold. */
export async function hold(page: Page): Promise<void> {
  await page.click(".dock .button.wide");
  await page.waitForSelector("#checkout");
}

/** Goes from the hold to the provider's page, answers there, and comes back. */
export async function pay(page: Page, outcome: "approve" | "decline" | "slow"): Promise<void> {
  if (await page.locator("#checkout").count()) await page.click("#checkout");
  await page.waitForURL(/\/pay\//);
  await page.click("#to-provider");
  await page.waitForURL(/\/sandbox\//);
  await page.click(`button[value="${outcome}"]`);
  await page.waitForURL((u) => !u.pathname.startsWith("/sandbox/"));
}

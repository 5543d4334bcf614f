import type { Page } from "playwright-core";
import { until } from "./wait.ts";

/** One of the element's events, as a partner's page hears it. */
export interface News { type: string; detail: Record<string, unknown> }

/** An event id of the right form that nobody has. */
export const unknownEvent = "01890000-0000-7000-8000-000000000000";

/** Writes down what elements tell, from the page's beginning on. */
export const news = (page: Page): Promise<unknown> => page.addInitScript(() => {
  const all: News[] = [];
  (globalThis as unknown as { told: News[] }).told = all;
  for (const name of ["ready", "select", "hold", "checkout", "order", "lost", "error"]) {
    document.addEventListener(`plateia-${name}`, (e) => all.push({ type: e.type, detail: (e as CustomEvent<Record<string, unknown>>).detail }));
  }
});

/** What was told so far. */
export const told = (page: Page, type: string): Promise<News[]> =>
  page.evaluate((t) => (globalThis as unknown as { told: News[] }).told.filter((n) => n.type === t), type);

/** Waits until something of this type was told, and answers the newest. */
export const hearsOf = (page: Page, type: string): Promise<News> => until(`no ${type}`, async () => (await told(page, type)).at(-1));

/** Waits until an element shows seats. */
export const ready = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => (globalThis as unknown as { told: News[] }).told.some((n) => n.type === "plateia-ready"));

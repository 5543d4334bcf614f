import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from "playwright-core";
import { watchStrictly } from "./strict.ts";

/** What every Chromium of the tests is started with. */
export const ARGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

/** How long (ms) anything may take to appear. A quiet machine needs a second; a shared one may be many times slower. */
export const PATIENCE = 120_000;

/** Debian's Chromium (or CHROMIUM) with a fresh profile. Arguments are added to ours. */
export const launch = (options: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({ ...options, executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...ARGS, ...(options.args ?? [])], timeout: 2 * PATIENCE });

/** Who likes movement, as most do. */
export const MOVING: BrowserContextOptions = { reducedMotion: "no-preference" };

export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

export interface Fan { page: Page; trouble: string[] }

const open = new Set<BrowserContext>();

/**
 * A fan with a browser of their own, who wants no movement: a map that flies is sixty frames a second, which nobody looks at. Walks that
 * measure, or go the whole way, want it. trouble collects script errors and policy violations: it must stay empty.
 */
export async function newFan(browser: Browser, options: BrowserContextOptions = {}): Promise<Fan> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 }, locale: "en-US", timezoneId: "America/Sao_Paulo", reducedMotion: "reduce", ...options,
  });
  open.add(context);
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const trouble: string[] = [];
  watchStrictly(context, trouble);
  page.on("pageerror", (e) => trouble.push(`${e.message}\n${e.stack}`));
  page.on("console", (m) => {
    // an answer such as 409 is logged by the browser as an error of loading: the page deals with it
    if (m.type() === "error" && !m.text().startsWith("Failed to load resource")) trouble.push(m.text());
  });
  return { page, trouble };
}

/**
 * Sends everybody home: the fans of one test must not keep the machine busy (or hold seats on screen) during the next.
 * After a failure it says what they saw.
 */
export async function closeFans(t: unknown): Promise<void> {
  const all = [...open];
  open.clear();
  if ((t as { passed?: boolean }).passed === false) {
    for (const page of all.flatMap((context) => context.pages())) {
      const text = await page.locator("main").innerText({ timeout: 5000 }).catch((e: unknown) => String(e));
      console.error(`${page.url()}\n${text.slice(0, 2000)}\n`);
    }
  }
  await Promise.all(all.map((context) => context.close()));
}

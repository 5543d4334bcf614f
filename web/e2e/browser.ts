import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const ARGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

/** Debian's Chromium (or CHROMIUM) with a fresh profile. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGS });

export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

export interface Fan { page: Page; trouble: string[] }

/** A fan with a browser of their own. trouble collects script errors and policy violations: it must stay empty. */
export async function newFan(browser: Browser, options: BrowserContextOptions = {}): Promise<Fan> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 }, locale: "en-US", timezoneId: "America/Sao_Paulo", ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const trouble: string[] = [];
  page.on("pageerror", (e) => trouble.push(`${e.message}\n${e.stack}`));
  page.on("console", (m) => {
    // an answer such as 409 is logged by the browser as an error of loading: the page deals with it
    if (m.type() === "error" && !m.text().startsWith("Failed to load resource")) trouble.push(m.text());
  });
  return { page, trouble };
}

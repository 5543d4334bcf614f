import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Frame, Page } from "playwright-core";

/** Every state is looked at in these sizes, in both themes. */
const SIZES = [[390, 844], [820, 1180], [1440, 900]] as const;
const THEMES = ["light", "dark"] as const;

/** Takes the pictures of `make screenshots`: NAME-WIDTH-THEME.png, and one page that shows them all. */
export class Camera {
  readonly #folder: string;
  readonly #names: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Takes a state in all sizes and themes. whole: all of the page, not only what a screen shows; at: what to scroll to, to its start for "top". */
  async take(page: Page, name: string, { whole = false, at = "", top = false }: { whole?: boolean; at?: string; top?: boolean } = {}): Promise<void> {
    const before = page.viewportSize()!;
    await still(page); // a size that changes in the middle of it would end a scroll that the page has begun
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await still(page);
      if (at) await page.locator(at).first().evaluate((e, block) => e.scrollIntoView({ block, behavior: "instant" }), top ? "start" as const : "nearest" as const);
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme });
        await framesWear(page, colorScheme);
        await still(page);
        await page.screenshot({ path: join(this.#folder, `${name}-${width}-${colorScheme}.png`), fullPage: whole, animations: "disabled" });
      }
    }
    this.#names.push(name);
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize(before);
  }

  /** Writes the page that shows all pictures taken, and answers its path. */
  finish(): string {
    const cell = (name: string, width: number, theme: string): string => {
      const file = `${name}-${width}-${theme}.png`;
      return `<td><a href="${file}"><img src="${file}" alt="${width} px, ${theme}" loading="lazy"></a></td>`;
    };
    const row = (name: string): string =>
      `<tr><th>${name}</th>${SIZES.flatMap(([width]) => THEMES.map((theme) => cell(name, width, theme))).join("")}</tr>`;
    const path = join(this.#folder, "index.html");
    writeFileSync(path, `<!doctype html><meta charset="utf-8"><title>Screenshots</title>
<style>body{font:14px system-ui;background:#888}th{vertical-align:top;text-align:start;position:sticky;left:0;background:#888}td{vertical-align:top}img{height:26rem}</style>
<table>${this.#names.map(row).join("\n")}</table>`);
    return path;
  }
}

const FRAME = 2000; // ms that a frame in the page is waited for: one may wear its host's theme for good, or never load

const inFrames = (page: Page, what: (frame: Frame) => Promise<unknown>): Promise<unknown> => Promise.all(page.frames().slice(1).map((frame) =>
  Promise.race([what(frame).catch(() => {}), new Promise((done) => setTimeout(done, FRAME))])));

/** Frames of ours in a partner's page are told by message what to wear, after the page itself has changed. */
const framesWear = (page: Page, theme: string): Promise<unknown> => inFrames(page, (frame) => frame.waitForFunction((wanted) => {
  const { colorScheme } = document.documentElement.style;
  return colorScheme === "" || colorScheme === wanted;
}, theme, { timeout: FRAME }));

/** Waits until a new size or theme is drawn, in the frames too, and nothing scrolls any more. */
const still = async (page: Page): Promise<void> => {
  await page.evaluate(settled);
  await inFrames(page, (frame) => frame.evaluate(settled));
};

async function settled(): Promise<void> {
  const frame = (): Promise<unknown> => Promise.race([new Promise(requestAnimationFrame), new Promise((done) => setTimeout(done, 100))]);
  for (let i = 0; i < 3; i++) await frame();
  const finite = document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity);
  await Promise.race([Promise.allSettled(finite.map((a) => a.finished)), new Promise((done) => setTimeout(done, 1000))]);
  const panel = document.querySelector(".panel"), where = (): number => scrollY * 1e5 + (panel?.scrollTop ?? 0);
  for (let calm = 0, was = where(); calm < 3; calm = where() === was ? calm + 1 : 0, was = where()) await frame();
}

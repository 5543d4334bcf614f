import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { last } from "./wait.ts";

const SETTLES = 5000; // ms that a page may take to follow: a map, for one, is as large as its place a frame later

const SIZES = [[320, 640], [390, 844], [820, 1180], [1280, 800], [1920, 1080], [3840, 2160]] as const;

/** What is wrong with what is on the screen: wider than it, a button, a date or a value whose words do not fit it, or a dot between two things that a line ends or begins with (runs in the page). */
function faults(): string[] {
  const found: string[] = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) {
    const out = [...document.body.querySelectorAll<HTMLElement>("*")].filter((e) => {
      const r = e.getBoundingClientRect();
      return r.width > 0 && (r.right > innerWidth + 1 || r.left < -1) && getComputedStyle(e).position !== "absolute";
    });
    found.push(`${wide} px in a view of ${innerWidth} px: ${out.slice(0, 3).map((e) => `${e.tagName}.${e.className}`).join(", ")}`);
  }
  for (const e of document.querySelectorAll<HTMLElement>("button, .button, .tag, .stub, h1, h2, dd")) {
    const r = e.getBoundingClientRect();
    if (r.width > 4 && e.scrollWidth > e.clientWidth + 2 && getComputedStyle(e).display !== "inline") found.push(`cut: ${e.className || e.tagName} “${e.textContent}”`);
  }
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const at = node.nodeValue!.indexOf("·");
    if (at < 0) continue;
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const dot = range.getBoundingClientRect();
    let around: Element = node.parentElement!;
    while (getComputedStyle(around).display === "inline") around = around.parentElement!;
    range.selectNodeContents(around);
    const line = [...range.getClientRects()].filter((r) => r.width > 0 && r.top < dot.bottom && r.bottom > dot.top);
    if (dot.width > 0 && (line.every((r) => r.left > dot.left - 1) || line.every((r) => r.right < dot.right + 1))) found.push(`hangs: ${around.className || around.tagName} “${around.textContent}”`);
  }
  return found;
}

/** What the page must stand: screens from 320 px to 4K, text of twice the size, and a language that runs from right to left. */
export async function standsEverything(page: Page, where: string): Promise<void> {
  const before = page.viewportSize()!, bad: string[] = [];
  const look = async (how: string): Promise<void> => {
    await page.evaluate(async () => { for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame); });
    bad.push(...(await last(() => page.evaluate(faults), (all) => all.length === 0, SETTLES)).map((f) => `${how}: ${f}`));
  };
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await look(`${width} px`);
  }
  const set = (style: string, dir: string): Promise<void> => page.evaluate(([s, d]) => {
    document.documentElement.style.fontSize = s;
    document.documentElement.dir = d;
  }, [style, dir] as const);
  for (const width of [390, 1280] as const) {
    await page.setViewportSize({ width, height: 800 });
    await set("200%", "");
    await look(`${width} px, text of twice the size`);
    await set("", "rtl");
    await look(`${width} px, from right to left`);
    await set("", "");
  }
  await page.setViewportSize(before);
  assert.deepEqual(bad, [], where);
}

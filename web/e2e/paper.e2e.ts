import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { enter, holdBest, pay } from "./fan.ts";
import { picturesOnPages } from "./paper.ts";
import { ownEvent } from "./room.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());
afterEach(closeFans);

test("tickets print black on white, every code whole on one page, with nothing to press, also from a dark screen", async () => {
  const { page, trouble } = await newFan(browser, { colorScheme: "dark" });
  await enter(page, await ownEvent());
  await holdBest(page, 6);
  await pay(page, "approve");
  await page.waitForSelector(".qr >> nth=5");
  await page.waitForFunction(() => [...document.querySelectorAll<HTMLImageElement>(".qr")].every((e) => e.complete && e.naturalWidth > 0));
  await page.emulateMedia({ media: "print", colorScheme: "dark" });

  const seen = await page.evaluate(() => {
    const shown = [...document.body.querySelectorAll<HTMLElement>("*")].filter((e) => e.checkVisibility() && !e.closest(".hush"));
    const words = shown.filter((e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent!.trim() !== ""));
    const name = (e: HTMLElement): string => `${e.tagName}.${e.className} “${e.textContent!.slice(0, 40)}”`;
    const ground = (e: HTMLElement | null): string => {
      for (; e; e = e.parentElement) {
        const { backgroundColor, backgroundImage } = getComputedStyle(e);
        if (backgroundImage !== "none") return backgroundImage;
        if (!/^rgba\(.*, 0\)$/.test(backgroundColor)) return backgroundColor;
      }
      return "nothing";
    };
    return {
      toPress: shown.filter((e) => e.matches("a, button, input, summary")).map(name),
      ink: words.filter((e) => getComputedStyle(e).color !== "rgb(0, 0, 0)").map(name),
      paper: words.filter((e) => ground(e) !== "rgb(255, 255, 255)").map(name),
      torn: shown.filter((e) => e.matches(".ticket") && (getComputedStyle(e).breakInside !== "avoid" || e.offsetHeight > 680)).length, // an A5 page has 700 px
      said: ["h3", "dt", "dd", ".mono"].map((s) => words.some((e) => e.matches(`.ticket ${s}`))),
    };
  });
  assert.deepEqual(seen, { toPress: [], ink: [], paper: [], torn: 0, said: [true, true, true, true] });

  for (const format of ["A4", "A5"] as const) {
    const pages = picturesOnPages(await page.pdf({ format }));
    assert.equal(pages.reduce((sum, n) => sum + n, 0), 6, `${format}: pictures on its pages ${pages}`);
    assert.ok(pages.length > 1, `${format}: no page ends between the tickets`);
  }
  assert.deepEqual(trouble, []);
});

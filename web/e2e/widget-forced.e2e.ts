import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { closeFans, launch, newFan } from "./browser.ts";
import { giveEyes } from "./eyes.ts";
import { news, ready } from "./widget.ts";

const PARTNER = process.env.PLATEIA_PARTNER ?? "";
let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());
afterEach(closeFans);

test("in forced colours everything has an edge, the map its shapes, and what is chosen looks chosen", async () => {
  const { page, trouble } = await newFan(browser, { forcedColors: "active" });
  await giveEyes(page);
  await news(page);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${PARTNER}/`);
  await ready(page);
  await page.locator(".fold > summary").click();
  await page.locator("#pick-section").selectOption({ index: 1 });
  await page.locator('.grid td[data-look="0"]').first().click();
  await page.locator(".dock.full").waitFor();
  assert.equal(await page.locator(".pl").evaluate((e) => (e as HTMLElement).style.getPropertyValue("--brand")), "", "the reader's colours come before the partner's");

  const seen = await page.locator(".pl").evaluate((pl) => {
    const { rgb, contrast } = eyes, ground = (e: Element | null): number[] => eyes.ground(e, getComputedStyle(pl).backgroundColor);
    const edge = (e: Element): number => {
      const { borderTopWidth, borderTopStyle, borderTopColor } = getComputedStyle(e);
      return borderTopStyle === "none" || parseFloat(borderTopWidth) < 0.5 ? 1 : contrast(rgb(borderTopColor), ground(e.parentElement));
    };
    const edges = [".price", ".sheet", ".live", ".dock.full", ".dock .button.wide", ".best .button.wide", ".map-bar"]
      .map((name): [string, number] => [name, pl.querySelector(name) ? Math.min(...[...pl.querySelectorAll(name)].map(edge)) : 0]);
    const cell = (name: string): number[] => ground(pl.querySelector(name));
    const counts = new Map<string, number>(), paper = ground(pl.querySelector(".map"));
    for (const canvas of pl.querySelectorAll<HTMLCanvasElement>(".map canvas")) {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < data.length; i += 16) if (data[i + 3] === 255) counts.set(data.slice(i, i + 3).join(), (counts.get(data.slice(i, i + 3).join()) ?? 0) + 1);
    }
    const all = [...counts.values()].reduce((sum, n) => sum + n, 0);
    const shapes = [...counts].filter(([, n]) => n > all / 200).map(([colour]) => contrast(colour.split(",").map(Number), paper));
    const swatches = new Set([...pl.querySelectorAll(".price i")].map((e) => getComputedStyle(e).backgroundColor));
    return {
      edges, shapes, swatches: swatches.size, prices: pl.querySelectorAll(".price i").length,
      chosen: contrast(cell('.grid td[aria-selected="true"]'), cell('.grid td[aria-selected="false"]')),
      text: contrast(rgb(getComputedStyle(pl.querySelector('.grid td[aria-selected="true"]')!).color), cell('.grid td[aria-selected="true"]')),
    };
  });
  for (const [name, contrast] of seen.edges) assert.ok(contrast >= 3, `${name}: ${contrast}`);
  assert.ok(seen.shapes.some((contrast) => contrast >= 3), `shapes of the map: ${seen.shapes}`);
  assert.ok(seen.swatches >= 2, `${seen.swatches} colours of ${seen.prices} prices`); // a forced palette has no more for what is drawn; names are beside them
  assert.ok(seen.chosen >= 1.5 && seen.text >= 3, `${seen.chosen}, ${seen.text}`);
  assert.deepEqual(trouble, []);
});

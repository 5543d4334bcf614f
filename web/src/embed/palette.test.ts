import { test } from "node:test";
import assert from "node:assert/strict";
import type { Rgb } from "../map/theme.ts";
import { OURS, Palette } from "./palette.ts";

/** Colours of a page where each is as it was set, in #rrggbb, on white. */
const asSet = (set: Map<string, string>) => (name: string): Rgb => {
  const hex = set.get(`--${OURS[name]}`) ?? (/background|surface|accent-text/.test(name) ? "#ffffff" : "#000000");
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) as unknown as Rgb;
};

function page(forced = false) {
  const set = new Map<string, string>(), style = { colorScheme: "", setProperty: (n: string, v: string) => set.set(n, v), removeProperty: (n: string) => set.delete(n) };
  const dark = { media: { mediaText: "(prefers-color-scheme: dark)" } }, wide = { media: { mediaText: "(min-width: 56rem)" } };
  const sheet = { cssRules: [{}, dark, wide] } as unknown as CSSStyleSheet;
  return { set, style, dark, wide, palette: new Palette({ style } as unknown as HTMLElement, [sheet], () => (forced ? null : asSet(set))) };
}

test("a theme sets our properties by the partner's names, and what the next one leaves out is ours again", () => {
  const { set, palette } = page();
  palette.wear({ values: { accent: "#007755", background: "#ffffff", "price-3": "#123456", radius: "4px", unknown: "red" } });
  assert.deepEqual([...set.keys()].sort(), ["--brand", "--brand-soft", "--brand-strong", "--map-cat-2", "--paper", "--radius"]);
  assert.equal(set.get("--brand"), "#007755");
  palette.wear({ values: { text: "#111111" } });
  assert.deepEqual([...set.keys()], ["--ink"]);
});

test("a palette that cannot be read is refused as a whole, with why; its shape stays, and the next one is looked at anew", () => {
  const { set, palette } = page();
  const why = palette.wear({ values: { accent: "#ffe680", text: "#222222", radius: "4px" } });
  assert.match(why, /--plateia-accent on --plateia-surface has a contrast of 1\.\d\d:1/);
  assert.deepEqual([...set.keys()], ["--radius"]);
  assert.equal(palette.wear({ values: { accent: "#004433" } }), "");
  assert.equal(set.get("--brand"), "#004433");
});

test("a reader's own colours come before all", () => {
  const { set, palette } = page(true);
  assert.equal(palette.wear({ values: { accent: "#ffe680", radius: "4px" } }), "");
  assert.deepEqual([...set.keys()], ["--radius"]);
});

test("light and dark are the partner's choice, and the reader's again with auto; other rules stay", () => {
  const { style, dark, wide, palette } = page();
  const wear = (scheme: "light" | "dark" | "auto"): string[] => (palette.wear({ scheme }), [style.colorScheme, dark.media.mediaText]);
  assert.deepEqual(wear("dark"), ["dark", "all"]);
  assert.deepEqual(wear("light"), ["light", "not all"]);
  palette.wear({ values: { text: "#111111" } }); // says nothing of it
  assert.equal(style.colorScheme, "light");
  assert.deepEqual(wear("auto"), ["", "(prefers-color-scheme: dark)"]);
  assert.equal(wide.media.mediaText, "(min-width: 56rem)");
});

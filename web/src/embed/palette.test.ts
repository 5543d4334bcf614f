import { test } from "node:test";
import assert from "node:assert/strict";
import { Palette } from "./palette.ts";

function page() {
  const set = new Map<string, string>(), style = { colorScheme: "", setProperty: (n: string, v: string) => set.set(n, v), removeProperty: (n: string) => set.delete(n) };
  const dark = { media: { mediaText: "(prefers-color-scheme: dark)" } }, wide = { media: { mediaText: "(min-width: 56rem)" } };
  const sheet = { cssRules: [{}, dark, wide] } as unknown as CSSStyleSheet;
  return { set, style, dark, wide, palette: new Palette({ style } as unknown as HTMLElement, [sheet]) };
}

test("a theme sets our properties by the partner's names, and what the next one leaves out is ours again", () => {
  const { set, palette } = page();
  palette.wear({ values: { accent: "#0a7", background: "#fff", "price-3": "#123456", radius: "4px", unknown: "red" } });
  assert.deepEqual([...set.keys()].sort(), ["--brand", "--brand-soft", "--brand-strong", "--map-cat-2", "--paper", "--radius"]);
  assert.equal(set.get("--brand"), "#0a7");
  palette.wear({ values: { text: "#111" } });
  assert.deepEqual([...set.keys()], ["--ink"]);
});

test("light and dark are the partner's choice, and the reader's again with auto; other rules stay", () => {
  const { style, dark, wide, palette } = page();
  const wear = (scheme: "light" | "dark" | "auto"): string[] => (palette.wear({ scheme }), [style.colorScheme, dark.media.mediaText]);
  assert.deepEqual(wear("dark"), ["dark", "all"]);
  assert.deepEqual(wear("light"), ["light", "not all"]);
  palette.wear({ values: { text: "#111" } }); // says nothing of it
  assert.equal(style.colorScheme, "light");
  assert.deepEqual(wear("auto"), ["", "(prefers-color-scheme: dark)"]);
  assert.equal(wide.media.mediaText, "(min-width: 56rem)");
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseRgb, type Rgb } from "../map/theme.ts";
import { OURS } from "../embed/palette.ts";
import { complaint, OTHERS, PAIRS, tooAlike } from "./palette.ts";

const hex = (text: string): Rgb => parseRgb(`rgb(${[1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16))})`);

/** Our own colours by property, for one of the two themes. */
function ours(dark: boolean): Map<string, Rgb> {
  const css = ["tokens", "map-colours"].map((f) => readFileSync(`styles/${f}.css`, "utf8").split("@media (prefers-color-scheme: dark)"));
  const found = new Map<string, Rgb>();
  for (const text of dark ? css.flat() : css.map((c) => c[0]!)) {
    for (const [, name, value] of text.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)) {
      const property = Object.keys(OURS).find((theirs) => OURS[theirs] === name);
      if (property) found.set(property, hex(value!));
    }
  }
  return found;
}

test("our own palettes, light and dark, would be accepted from a partner", () => {
  for (const dark of [false, true]) {
    const colours = ours(dark);
    assert.deepEqual(tooAlike((name) => colours.get(name)!, new Set(PAIRS.flat())), [], dark ? "dark" : "light");
  }
});

test("a pair under 3:1 is named; what a partner did not set is not asked about", () => {
  const colours = ours(false).set("accent", hex("#ffe680")), colour = (name: string): Rgb => colours.get(name)!;
  const found = tooAlike(colour, new Set(["accent"]));
  assert.deepEqual(found.map((f) => f.pair), [["accent", "surface"], ["accent", "background"], ["accent-text", "accent"]]);
  assert.match(complaint(found), /--plateia-accent on --plateia-surface has a contrast of 1\.\d\d:1, less than 3:1; /);
  assert.deepEqual(tooAlike(colour, new Set(["radius"])), []);
});

test("every property of a pair, and every one that is no colour, is one that can be set", () => {
  assert.deepEqual([...PAIRS.flat(), ...OTHERS].filter((name) => !(name in OURS)), []);
  assert.equal(new Set(Object.values(OURS)).size, Object.keys(OURS).length);
});

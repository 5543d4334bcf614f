import { h } from "../base/dom.ts";
import { OURS } from "../embed/palette.ts";
import { resolved } from "../map/colour.ts";
import { contrast, type Rgb } from "../map/theme.ts";
import type { Skin } from "./skin.ts";

/** Two colours that people must be able to tell apart, by the names of their properties without "--plateia-". */
export type Pair = readonly [front: string, ground: string];

const LEAST = 3; // contrast: WCAG 2.2 for shapes and large text, and what no palette may go below

const PRICES = Array.from({ length: 8 }, (_, i) => `price-${i + 1}`);

/** What is read or recognised, and on what. */
export const PAIRS: readonly Pair[] = [
  ["text", "background"], ["text", "surface"], ["muted", "background"], ["muted", "surface"], ["accent", "surface"], ["accent", "background"],
  ["accent-text", "accent"], ["control-border", "surface"], ["map-text", "map-background"], ["map-held", "map-background"],
  ["map-ring", "map-background"], ...PRICES.map((p): Pair => [p, "map-background"]),
];

/** Properties that are no colours. */
export const OTHERS: readonly string[] = ["radius", "radius-small", "font"];

/** The pairs of a palette that are too alike; set: names a partner has given. Ours among themselves are not asked about. */
export function tooAlike(colour: (name: string) => Rgb, set: ReadonlySet<string>): { pair: Pair; contrast: number }[] {
  return PAIRS.filter(([front, ground]) => set.has(front) || set.has(ground))
    .map((pair) => ({ pair, contrast: contrast(colour(pair[0]), colour(pair[1])) }))
    .filter((found) => found.contrast < LEAST);
}

/** In words, for whoever made the palette. */
export const complaint = (found: { pair: Pair; contrast: number }[]): string =>
  found.map(({ pair: [front, ground], contrast: c }) => `--plateia-${front} on --plateia-${ground} has a contrast of ${c.toFixed(2)}:1, less than ${LEAST}:1`).join("; ");

/** What of the partner's properties is worn, by name, with its value as the element has it. */
export const valuesOf = (skin: Skin): Record<string, string> =>
  Object.fromEntries(skin.given().filter((name) => skin.refused === "" || OTHERS.includes(name)).map((name) => [name, skin.value(name)]));

/** Refuses a palette that cannot be read as a whole: ours is worn then, and the first time that is said. Answers whether it was refused. */
export function judge(skin: Skin, say: (why: string) => void): boolean {
  const given = skin.given(), probe = skin.box.appendChild(h("i", null));
  skin.wear(given);
  const colours = Object.fromEntries(Object.entries(OURS).map(([theirs, ours]) => {
    probe.style.color = `var(--${ours})`;
    return [theirs, resolved(getComputedStyle(probe).color)];
  }));
  probe.remove();
  const why = complaint(tooAlike((name) => colours[name]!, new Set(given)));
  if (why !== "") skin.wear(given.filter((name) => OTHERS.includes(name)));
  if (why !== "" && why !== skin.refused) say(why);
  skin.refused = why;
  return why !== "";
}

import type { Rgb } from "../map/theme.ts";
import { complaint, OTHERS, tooAlike } from "../widget/palette.ts";
import type { Theme } from "./protocol.ts";

/** Our own properties by the names that partners know, without their dashes and "plateia-". */
export const OURS: Readonly<Record<string, string>> = {
  background: "paper", surface: "card", text: "ink", muted: "soft", border: "line", "control-border": "edge", accent: "brand", "accent-text": "brand-ink",
  "map-background": "map-paper", "map-text": "map-ink", "map-held": "map-held", "map-sold": "map-sold", "map-field": "map-field", "map-ring": "map-ring",
  ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`price-${i + 1}`, `map-cat-${i}`])),
  radius: "radius", "radius-small": "radius-small", font: "font",
};

/** What follows from an accent. */
export const SHADES: Readonly<Record<string, string>> = {
  "brand-strong": "color-mix(in srgb, var(--brand) 82%, var(--ink))", "brand-soft": "color-mix(in srgb, var(--brand) 14%, var(--card))",
};

const DARK = "(prefers-color-scheme: dark)";

/** The page's rules for the dark, which a theme may switch. */
interface DarkRule { media: MediaList }

/** How the page looks now: each colour by the name that partners know; null: as its reader's system says. */
export type Seen = () => ((name: string) => Rgb) | null;

/** Takes a partner's look on; what an earlier one has set and this one does not is ours again. The values have been read (protocol.ts). */
export class Palette {
  readonly #root: HTMLElement;
  readonly #dark: readonly DarkRule[];
  readonly #seen: Seen;

  constructor(root: HTMLElement, sheets: Iterable<CSSStyleSheet>, seen: Seen) {
    this.#root = root;
    this.#seen = seen;
    this.#dark = [...sheets].flatMap((sheet) => darkRules(sheet));
  }

  /** Answers what makes the colours hard to read, or "". Such a palette is refused as a whole, as the element does: whoever sends it may be another. */
  wear({ scheme, values = {} }: Theme): string {
    const { style } = this.#root;
    if (scheme) {
      for (const rule of this.#dark) rule.media.mediaText = scheme === "auto" ? DARK : scheme === "dark" ? "all" : "not all";
      style.colorScheme = scheme === "auto" ? "" : scheme;
    }
    this.#put(values);
    const colour = this.#seen(), why = colour ? complaint(tooAlike(colour, new Set(Object.keys(values)))) : "";
    if (!colour || why) this.#put(Object.fromEntries(Object.entries(values).filter(([name]) => OTHERS.includes(name))));
    return why;
  }

  #put(values: Record<string, string>): void {
    const { style } = this.#root;
    for (const [theirs, ours] of Object.entries(OURS)) set(style, ours, values[theirs]);
    for (const [name, shade] of Object.entries(SHADES)) set(style, name, values.accent && shade);
  }
}

function set(style: CSSStyleDeclaration, name: string, value: string | undefined): void {
  if (value) style.setProperty(`--${name}`, value);
  else style.removeProperty(`--${name}`);
}

/** They are found once: what they say is changed afterwards. */
const darkRules = (sheet: CSSStyleSheet): DarkRule[] =>
  [...sheet.cssRules].filter((rule): rule is CSSMediaRule => "media" in rule && (rule as CSSMediaRule).media.mediaText.replaceAll(" ", "") === DARK.replaceAll(" ", ""));

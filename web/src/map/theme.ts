import { resolved } from "./colour.ts";

export type Rgb = readonly [number, number, number];

/** The map's colours, read from the style sheet, so that light, dark and forced colours are decided in one place. */
export interface Theme {
  paper: Rgb; // behind everything
  ink: Rgb; // labels, and the fan's own seats
  paperInk: Rgb; // on ink
  held: Rgb;
  sold: Rgb;
  quiet: Rgb; // sections without free seats, outlines
  field: Rgb;
  fieldLine: Rgb;
  ring: Rgb; // around chosen seats
  categories: readonly Rgb[];
  font: string;
}

export const CATEGORY_COLOURS = 8;

/** The palette entry of a price category: colours repeat after eight; prices are always also written. */
export const categoryColour = (theme: Theme, category: number): Rgb => theme.categories[category % CATEGORY_COLOURS];

/** Reads the theme's custom properties as the browser resolves them for this element. */
export function readTheme(element: HTMLElement): Theme {
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  const colour = (name: string): Rgb => {
    probe.style.color = `var(--map-${name})`;
    return resolved(getComputedStyle(probe).color);
  };
  const theme: Theme = {
    paper: colour("paper"), ink: colour("ink"), paperInk: colour("paper-ink"), held: colour("held"), sold: colour("sold"),
    quiet: colour("quiet"), field: colour("field"), fieldLine: colour("field-line"), ring: colour("ring"),
    categories: Array.from({ length: CATEGORY_COLOURS }, (_, i) => colour(`cat-${i}`)),
    font: getComputedStyle(element).fontFamily || "sans-serif",
  };
  probe.remove();
  return theme;
}

/** Reads "rgb(1, 2, 3)" or "rgb(1 2 3 / 1)". */
export function parseRgb(text: string): Rgb {
  const n = text.match(/[\d.]+/g)?.map(Number) ?? [];
  return [n[0] ?? 0, n[1] ?? 0, n[2] ?? 0];
}

export const css = (c: Rgb, alpha = 1): string => `rgb(${c[0]} ${c[1]} ${c[2]} / ${alpha})`;

/** Makes ready for writing around points, in a colour. */
export function pen(ctx: CanvasRenderingContext2D, colour: Rgb, font: string): void {
  ctx.font = font;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillStyle = css(colour);
}

/** share of b in a, 0..1. */
export const mix = (a: Rgb, b: Rgb, share: number): Rgb =>
  [0, 1, 2].map((i) => Math.round(a[i] + (b[i] - a[i]) * share)) as unknown as Rgb;

/** A pixel for a little-endian Uint32 view of ImageData. */
export const pixel = (c: Rgb, alpha = 255): number => ((alpha << 24) | (c[2] << 16) | (c[1] << 8) | c[0]) >>> 0;

function luminance(c: Rgb): number {
  const [r, g, b] = c.map((v) => {
    const s = v / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** WCAG contrast of two colours, 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (hi + 0.05) / (lo + 0.05);
}

/** Whichever of two text colours reads better on a ground. */
export const readable = (ground: Rgb, a: Rgb, b: Rgb): Rgb => (contrast(ground, a) >= contrast(ground, b) ? a : b);

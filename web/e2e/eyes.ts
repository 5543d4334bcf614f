import type { Page } from "playwright-core";

/** What somebody sees of colours, inside a page: a colour's channels, how two differ (WCAG's ratio), and on what ground an element stands. */
interface Eyes {
  rgb(colour: string): number[];
  contrast(a: number[], b: number[]): number;
  /** behind: the colour under everything. */
  ground(e: Element | null, behind: string): number[];
}

declare global {
  var eyes: Eyes;
}

/** Gives the documents that a page opens from now on their eyes. */
export const giveEyes = (page: Page): Promise<unknown> => page.addInitScript(() => {
  let pen: CanvasRenderingContext2D | null = null;
  const rgb = (colour: string): number[] => {
    pen ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]: number[]): number => [r!, g!, b!].map((v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i]!, 0);
  globalThis.eyes = {
    rgb,
    contrast: (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05),
    ground: (e, behind) => {
      for (; e; e = e.parentElement) if (rgb(getComputedStyle(e).backgroundColor)[3]! > 0) return rgb(getComputedStyle(e).backgroundColor);
      return rgb(behind);
    },
  };
});

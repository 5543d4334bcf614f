import type { Locator } from "playwright-core";

/** How many colours are on a canvas, of a sample of its pixels. */
export const coloursIn = (canvas: Locator): Promise<number> => canvas.evaluate((element: HTMLCanvasElement) => {
  const { data } = element.getContext("2d")!.getImageData(0, 0, element.width, element.height), seen = new Set<number>();
  for (let i = 0; i < data.length; i += 4 * 97) if (data[i + 3] === 255) seen.add((data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!);
  return seen.size;
});

import { parseRgb, type Rgb } from "./theme.ts";

let pen: CanvasRenderingContext2D | null = null;

/** A computed colour in sRGB. Whatever is not written as rgb(), such as oklch(), is asked of the browser by painting with it. */
export function resolved(colour: string): Rgb {
  if (/^rgba?\(/.test(colour)) return parseRgb(colour);
  pen ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data.subarray(0, 3)] as unknown as Rgb;
}

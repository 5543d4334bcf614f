/** What yardstick() answers, in ms, on the machine on which the budgets were measured. */
export const YARDSTICK = 1.2;

/** How long this machine takes for a piece of work of the map's kind, in ms: the best of many tries, and what they took on average. Runs in a page. */
export function yardstick(): { best: number; mean: number } {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 512;
  const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
  const tries = 40, began = performance.now();
  let best = Infinity;
  for (let n = 0; n < tries; n++) {
    const before = performance.now();
    const image = ctx.createImageData(512, 512), pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; i++) pixels[i] = 0xff000000 | (i * 2654435761);
    ctx.putImageData(image, 0, 0);
    for (let i = 0; i < 400; i++) ctx.fillRect((i * 37) % 500, (i * 91) % 500, 9, 9);
    ctx.getImageData(0, 0, 1, 1);
    best = Math.min(best, performance.now() - before);
  }
  return { best, mean: (performance.now() - began) / tries };
}

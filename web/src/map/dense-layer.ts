import { LOOK } from "./book.ts";
import { visible } from "./camera.ts";
import type { ChartIndex } from "./chart.ts";
import type { Pixels } from "./pixels.ts";
import { rowsInView } from "./rows-in-view.ts";
import type { Scene } from "./scene.ts";
import { categoryColour, mix, pixel } from "./theme.ts";

/**
 * One small square a seat, written as pixels: tens of thousands of seats cost a memory fill instead of as many draw
 * calls. Shape still tells the status: a full square is free, its lower half held, a dot in the middle sold.
 */
export class DenseLayer {
  readonly #index: ChartIndex;
  readonly #pixels: Pixels;

  constructor(index: ChartIndex, pixels: Pixels) {
    this.#index = index;
    this.#pixels = pixels;
  }

  /** Draws all seats in view. */
  draw(ctx: CanvasRenderingContext2D, scene: Scene): void {
    this.#pixels.clear(ctx.canvas);
    const put = this.#writer(scene);
    rowsInView(this.#index, visible(scene.camera, scene.view, 4), (from, to) => {
      for (let o = from; o < to; o++) put(o);
    });
    ctx.putImageData(this.#pixels.image, 0, 0);
  }

  /** Redraws some seats of the picture that draw made with the same camera. */
  update(ctx: CanvasRenderingContext2D, scene: Scene, ordinals: readonly number[]): void {
    const { image } = this.#pixels;
    const put = this.#writer(scene);
    let x0 = image.width, y0 = image.height, x1 = 0, y1 = 0;
    for (const o of ordinals) {
      const at = put(o);
      if (!at) continue;
      x0 = Math.min(x0, at.x); y0 = Math.min(y0, at.y);
      x1 = Math.max(x1, at.x + at.size); y1 = Math.max(y1, at.y + at.size);
    }
    if (x1 > x0 && y1 > y0) ctx.putImageData(image, 0, 0, x0, y0, x1 - x0, y1 - y0);
  }

  #writer(scene: Scene) {
    const { ratio, camera, view, book } = scene;
    const colours = palette(scene);
    const { chart, pitch } = this.#index;
    const { words, image: { width, height } } = this.#pixels;
    const k = camera.scale * ratio;
    const size = Math.max(1, Math.round(pitch * k * 0.66));
    const tx = ratio * view.w / 2 - k * camera.x - size / 2, ty = ratio * view.h / 2 - k * camera.y - size / 2;
    const half = size >> 1, inset = size >= 3 ? Math.floor(size / 3) : 0;
    const at = { x: 0, y: 0, size };
    const rect = (x: number, y: number, w: number, h: number, colour: number): void => {
      // plain loops: the squares are a few pixels wide, a call of fill for each line costs more
      for (let line = y * width + x, end = line + h * width; line < end; line += width) {
        for (let p = line; p < line + w; p++) words[p] = colour;
      }
    };
    return (o: number): { x: number; y: number; size: number } | null => {
      const x = Math.round(chart.x[o] * k + tx), y = Math.round(chart.y[o] * k + ty);
      if (x < 0 || y < 0 || x + size > width || y + size > height) return null;
      at.x = x;
      at.y = y;
      const look = book.look(o);
      if (look === LOOK.free) rect(x, y, size, size, book.faint(o) ? colours.faint : colours.free[chart.category[o]]);
      else if (look >= LOOK.chosen) rect(x, y, size, size, colours.mine);
      else {
        rect(x, y, size, size, 0);
        if (look === LOOK.held) rect(x, y + half, size, size - half, colours.held);
        else rect(x + inset, y + inset, Math.max(1, size - 2 * inset), Math.max(1, size - 2 * inset), colours.sold);
      }
      return at;
    };
  }
}

interface Palette { free: number[]; faint: number; held: number; sold: number; mine: number }

function palette({ theme }: Scene): Palette {
  return {
    free: Array.from({ length: 256 }, (_, c) => pixel(categoryColour(theme, c))), faint: pixel(mix(theme.paper, theme.quiet, 0.8)),
    held: pixel(theme.held), sold: pixel(theme.sold), mine: pixel(theme.ink),
  };
}

import { LOOK, type Look } from "./book.ts";
import { ACCESSIBLE } from "./geometry.ts";
import { type Box, visible } from "./camera.ts";
import type { ChartIndex } from "./chart.ts";
import type { Pixels } from "./pixels.ts";
import { rowsInView } from "./rows-in-view.ts";
import type { Scene } from "./scene.ts";
import { Sprites } from "./sprites.ts";
import type { Theme } from "./theme.ts";

/** Seats as shapes, with numbers when there is room. Single seats are erased and drawn again without touching their neighbours. */
export class NearLayer {
  readonly #index: ChartIndex;
  readonly #pixels: Pixels;
  #sprites: Sprites | null = null;
  #made = "";
  #eraser: HTMLCanvasElement | null = null;

  constructor(index: ChartIndex, pixels: Pixels) {
    this.#index = index;
    this.#pixels = pixels;
  }

  /** Forgets the pictures: the theme has changed. */
  reset(): void {
    this.#made = "";
  }

  draw(ctx: CanvasRenderingContext2D, scene: Scene): void {
    const brushes = this.#brushes(ctx, scene);
    const every = (put: (o: number) => void): void => rowsInView(this.#index, this.#box(scene), (from, to) => {
      for (let o = from; o < to; o++) put(o);
    });
    if (this.#sprites!.small) {
      this.#pixels.clear(ctx.canvas);
      every(brushes.stamp);
      ctx.putImageData(this.#pixels.image, 0, 0);
    } else {
      ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height);
      every(brushes.shape);
    }
    if (scene.detail.numbers) every(brushes.sign);
  }

  update(ctx: CanvasRenderingContext2D, scene: Scene, ordinals: readonly number[]): void {
    const { shape, sign } = this.#brushes(ctx, scene);
    const { chart } = this.#index;
    const box = this.#box(scene);
    const seen = ordinals.filter((o) => chart.x[o] >= box.x0 && chart.x[o] <= box.x1 && chart.y[o] >= box.y0 && chart.y[o] <= box.y1);
    this.#erase(ctx, scene, seen);
    for (const o of seen) {
      shape(o);
      if (scene.detail.numbers) sign(o);
    }
  }

  #box({ camera, view }: Scene): Box {
    return visible(camera, view, this.#index.pitch * camera.scale);
  }

  #erase(ctx: CanvasRenderingContext2D, { ratio, camera, view }: Scene, ordinals: readonly number[]): void {
    const eraser = this.#eraser!, { chart } = this.#index;
    const k = camera.scale * ratio;
    const tx = ratio * view.w / 2 - k * camera.x - eraser.width / 2, ty = ratio * view.h / 2 - k * camera.y - eraser.width / 2;
    ctx.globalCompositeOperation = "destination-out";
    for (const o of ordinals) ctx.drawImage(eraser, Math.round(chart.x[o] * k + tx), Math.round(chart.y[o] * k + ty));
    ctx.globalCompositeOperation = "source-over";
  }

  /** How a seat gets into the picture: as pixels, as a copied shape, and the sign on a shape. */
  #brushes(ctx: CanvasRenderingContext2D, { ratio, camera, view, book, theme }: Scene): Record<"stamp" | "shape" | "sign", (o: number) => void> {
    const { chart, pitch } = this.#index, pixels = this.#pixels;
    const k = camera.scale * ratio;
    const sprites = this.#pictures(Math.round(pitch * k * 0.43 * 4) / 4, theme);
    const { size, sheet } = sprites;
    const tx = ratio * view.w / 2 - k * camera.x - size / 2, ty = ratio * view.h / 2 - k * camera.y - size / 2;
    const left = (o: number): number => Math.round(chart.x[o] * k + tx), top = (o: number): number => Math.round(chart.y[o] * k + ty);
    const accessible = (o: number): boolean => (chart.flags[o] & ACCESSIBLE) !== 0;
    const open = (o: number): boolean => !book.faint(o) && !book.keptFrom(o);
    const column = (o: number, look: Look): number => Sprites.column(chart.category[o], look !== LOOK.free || open(o));
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    return {
      stamp: (o) => {
        const look = book.look(o);
        sprites.stamp(column(o, look), Sprites.row(look, accessible(o)), pixels, left(o), top(o));
      },
      shape: (o) => {
        const look = book.look(o);
        ctx.drawImage(sheet, column(o, look) * size, Sprites.row(look, accessible(o)) * size, size, size, left(o), top(o), size, size);
      },
      sign: (o) => {
        if (book.look(o) !== LOOK.free) return;
        const category = chart.category[o];
        if (accessible(o)) ctx.drawImage(sprites.wheelchair(open(o) ? category : -1), left(o), top(o));
        else if (open(o)) ctx.drawImage(sprites.glyph(chart.number(o), category), left(o), top(o));
      },
    };
  }

  #pictures(radius: number, theme: Theme): Sprites {
    const wanted = `${radius}`;
    if (!this.#sprites || this.#made !== wanted) {
      this.#sprites = new Sprites(radius, theme);
      this.#eraser = eraser(this.#sprites.size, radius * 1.13);
      this.#made = wanted;
    }
    return this.#sprites;
  }
}

function eraser(size: number, radius: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const ctx = canvas.getContext("2d")!;
  ctx.beginPath();
  ctx.arc(size / 2, size / 2, radius, 0, 2 * Math.PI);
  ctx.fill();
  return canvas;
}

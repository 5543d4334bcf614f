import { LOOK } from "./book.ts";
import { ACCESSIBLE } from "./geometry.ts";
import { type Box, visible } from "./camera.ts";
import type { ChartIndex } from "./chart.ts";
import { rowsInView } from "./rows-in-view.ts";
import type { Scene } from "./scene.ts";
import { Sprites } from "./sprites.ts";
import type { Theme } from "./theme.ts";

/** Seats as shapes, with numbers when there is room. Single seats are erased and drawn again without touching their neighbours. */
export class NearLayer {
  readonly #index: ChartIndex;
  #sprites: Sprites | null = null;
  #made = "";
  #eraser: HTMLCanvasElement | null = null;

  constructor(index: ChartIndex) {
    this.#index = index;
  }

  /** Forgets the pictures: the theme has changed. */
  reset(): void {
    this.#made = "";
  }

  draw(ctx: CanvasRenderingContext2D, scene: Scene): void {
    const put = this.#writer(ctx, scene);
    ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height);
    rowsInView(this.#index, this.#box(scene), (from, to) => {
      for (let o = from; o < to; o++) put(o);
    });
  }

  update(ctx: CanvasRenderingContext2D, scene: Scene, ordinals: readonly number[]): void {
    const put = this.#writer(ctx, scene);
    const { chart } = this.#index;
    const box = this.#box(scene);
    const seen = ordinals.filter((o) => chart.x[o] >= box.x0 && chart.x[o] <= box.x1 && chart.y[o] >= box.y0 && chart.y[o] <= box.y1);
    this.#erase(ctx, scene, seen);
    for (const o of seen) put(o);
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

  #writer(ctx: CanvasRenderingContext2D, scene: Scene): (o: number) => void {
    const { ratio, camera, view, book, theme, shown, detail } = scene;
    const { chart, pitch } = this.#index;
    const k = camera.scale * ratio;
    const sprites = this.#pictures(Math.round(pitch * k * 0.43 * 4) / 4, theme);
    const { size, sheet } = sprites;
    const tx = ratio * view.w / 2 - k * camera.x - size / 2, ty = ratio * view.h / 2 - k * camera.y - size / 2;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    return (o) => {
      const x = Math.round(chart.x[o] * k + tx), y = Math.round(chart.y[o] * k + ty);
      const look = book.look(o), category = chart.category[o], accessible = (chart.flags[o] & ACCESSIBLE) !== 0;
      const open = shown(category) && !book.keptFrom(o);
      const [column, row] = Sprites.cell(look, category, accessible, open || look !== LOOK.free);
      ctx.drawImage(sheet, column * size, row * size, size, size, x, y, size, size);
      if (!detail.numbers || look !== LOOK.free) return;
      if (accessible) ctx.drawImage(sprites.wheelchair(open ? category : -1), x, y);
      else if (open) ctx.drawImage(sprites.glyph(chart.number(o), category), x, y);
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

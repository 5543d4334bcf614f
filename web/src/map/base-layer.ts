import type { SeatBook } from "./book.ts";
import { toScreenX, toScreenY, visible } from "./camera.ts";
import type { ChartIndex } from "./chart.ts";
import { centroid } from "./geometry-chart.ts";
import { rowLabelPoint, type Shape } from "./geometry.ts";
import type { Scene } from "./scene.ts";
import { categoryColour, css, mix, readable, type Rgb } from "./theme.ts";

const STEPS = 12; // shades of "how much is free"

/** What lies under the seats: field or stage, sections with labels, row labels. */
export class BaseLayer {
  readonly #index: ChartIndex;
  readonly #paths: Path2D[];
  readonly #shapes: Path2D[];
  #drawn: Int8Array;

  constructor(index: ChartIndex) {
    this.#index = index;
    this.#paths = index.chart.sections.map((s) => outline(s.outline, true));
    this.#shapes = index.shapes.map((s) => outline(s.points, s.role !== "line"));
    this.#drawn = new Int8Array(index.chart.sections.length);
  }

  /** Whether the shades on screen are older than the book. */
  stale(book: SeatBook): boolean {
    for (let s = 0; s < this.#drawn.length; s++) if (this.#shade(book, s) !== this.#drawn[s]) return true;
    return false;
  }

  /** -1 nothing free, else 0..STEPS. One free seat already counts: a fan must be able to see it. */
  #shade(book: SeatBook, s: number): number {
    const { from, to } = this.#index.chart.sections[s];
    const free = book.free[s];
    return free <= 0 ? -1 : Math.ceil((free / Math.max(1, to - from)) * STEPS);
  }

  draw(ctx: CanvasRenderingContext2D, scene: Scene): void {
    const { ratio, camera, view, detail, book } = scene;
    const { chart } = this.#index;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height);
    const k = ratio * camera.scale;
    ctx.setTransform(k, 0, 0, k, ratio * view.w / 2 - k * camera.x, ratio * view.h / 2 - k * camera.y);
    this.#drawShapes(ctx, scene);
    const box = visible(camera, view, 30);
    const seen: number[] = [];
    for (let s = 0; s < this.#paths.length; s++) {
      this.#drawn[s] = this.#shade(book, s);
      if (overlaps(this.#index.sectionBox, s, box)) {
        seen.push(s);
        this.#drawSection(ctx, scene, s);
      }
    }
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#labelShapes(ctx, scene);
    for (const s of seen) if (detail.level === "far" || chart.sections[s].general) this.#labelSection(ctx, scene, s);
    if (detail.rows) for (const s of seen) this.#labelRows(ctx, scene, s);
  }

  /** The colour of a section far away: its price category's, paler the less is free. */
  #fill(s: number, { theme, shown }: Scene): Rgb {
    const { category } = this.#index.chart.sections[s];
    if (this.#drawn[s] < 0 || !shown(category)) return mix(theme.paper, theme.quiet, 0.55);
    return mix(theme.paper, categoryColour(theme, category), 0.2 + 0.8 * (this.#drawn[s] / STEPS));
  }

  #drawSection(ctx: CanvasRenderingContext2D, scene: Scene, s: number): void {
    const { camera, detail, theme } = scene;
    const px = 1 / camera.scale;
    if (detail.level === "far" || this.#index.chart.sections[s].general) {
      ctx.fillStyle = css(this.#fill(s, scene));
      ctx.fill(this.#paths[s]);
      return;
    }
    ctx.fillStyle = css(mix(theme.paper, theme.quiet, 0.16));
    ctx.fill(this.#paths[s]);
    ctx.lineWidth = px;
    ctx.strokeStyle = css(mix(theme.paper, theme.quiet, 0.6));
    ctx.stroke(this.#paths[s]);
  }

  #labelSection(ctx: CanvasRenderingContext2D, scene: Scene, s: number): void {
    const { camera, view, theme } = scene;
    const { room, chart } = this.#index;
    const w = room[s * 2] * camera.scale, h = room[s * 2 + 1] * camera.scale;
    const { label, centre } = chart.sections[s];
    const size = Math.min(14, h * 0.6, (w * 0.94) / (label.length * 0.62));
    if (size < 5.5) return;
    ctx.font = `600 ${size}px ${theme.font}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = css(readable(this.#fill(s, scene), theme.ink, theme.paper));
    ctx.fillText(label, toScreenX(camera, view, centre.x), toScreenY(camera, view, centre.y) + 0.5);
  }

  #labelRows(ctx: CanvasRenderingContext2D, scene: Scene, s: number): void {
    const { camera, view, theme } = scene;
    const { chart, pitch } = this.#index;
    const { rowFrom, rowTo } = chart.sections[s];
    ctx.font = `600 ${Math.min(13, Math.max(9, pitch * camera.scale * 0.5))}px ${theme.font}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = css(mix(theme.paper, theme.ink, 0.72));
    for (let r = rowFrom; r < rowTo; r++) {
      const { from, to, label } = chart.rows[r];
      for (const end of to - from > 1 ? ([0, 1] as const) : ([0] as const)) {
        const at = rowLabelPoint(chart, r, end);
        const x = toScreenX(camera, view, at.x), y = toScreenY(camera, view, at.y);
        if (x > -20 && x < view.w + 20 && y > -20 && y < view.h + 20) ctx.fillText(label, x, y);
      }
    }
  }

  /** Stage, pitch, areas and their markings, in the theme's colours: the chart's own are made for one background only. */
  #drawShapes(ctx: CanvasRenderingContext2D, { camera, theme }: Scene): void {
    this.#index.shapes.forEach(({ role }, i) => {
      if (role === "text") return;
      if (role === "line") {
        ctx.strokeStyle = css(theme.fieldLine);
        ctx.lineWidth = Math.max(1.25 / camera.scale, this.#index.pitch * 0.5);
        return ctx.stroke(this.#shapes[i]);
      }
      ctx.fillStyle = css(role === "stage" ? theme.ink : role === "pitch" ? theme.field : mix(theme.paper, theme.field, 0.5));
      ctx.fill(this.#shapes[i]);
    });
  }

  /** The word for a stage that has no name of its own. */
  stageLabel = "";

  #labelShapes(ctx: CanvasRenderingContext2D, scene: Scene): void {
    for (const shape of this.#index.shapes) {
      if (shape.role === "stage") this.#labelShape(ctx, scene, shape, /^(stage)?$/i.test(shape.label) ? this.stageLabel : shape.label, scene.theme.paper);
      else if (shape.role === "text") this.#labelShape(ctx, scene, shape, shape.label, scene.theme.ink);
    }
  }

  #labelShape(ctx: CanvasRenderingContext2D, { camera, view, theme }: Scene, { role, points }: Shape, text: string, colour: Rgb): void {
    const at = centroid(points);
    const width = Math.max(...points.filter((_, i) => i % 2 === 0)) - Math.min(...points.filter((_, i) => i % 2 === 0));
    const room = role === "text" ? Infinity : (width * camera.scale) / (text.length * 0.75 + 1);
    const size = Math.min(role === "text" ? 14 : 18, room, this.#index.pitch * camera.scale * 6);
    if (text === "" || size < 8) return;
    ctx.font = `700 ${size}px ${theme.font}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = css(colour);
    ctx.fillText(text, toScreenX(camera, view, at.x), toScreenY(camera, view, at.y) + 0.5);
  }
}

export const overlaps = (boxes: Float32Array, i: number, b: { x0: number; y0: number; x1: number; y1: number }): boolean =>
  boxes[i * 4] <= b.x1 && boxes[i * 4 + 2] >= b.x0 && boxes[i * 4 + 1] <= b.y1 && boxes[i * 4 + 3] >= b.y0;

function outline(points: Float32Array, closed: boolean): Path2D {
  const path = new Path2D();
  for (let i = 0; i < points.length; i += 2) {
    if (i === 0) path.moveTo(points[0], points[1]);
    else path.lineTo(points[i], points[i + 1]);
  }
  if (closed) path.closePath();
  return path;
}

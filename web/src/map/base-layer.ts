import type { SeatBook } from "./book.ts";
import { type Camera, type Size, toScreenX, toScreenY, visible } from "./camera.ts";
import type { ChartIndex } from "./chart.ts";
import type { Scene } from "./scene.ts";
import { categoryColour, css, mix, readable, type Rgb, type Theme } from "./theme.ts";

const STEPS = 12; // shades of "how much is free"

/** What lies under the seats: field or stage, sections with labels, row labels. */
export class BaseLayer {
  readonly #index: ChartIndex;
  readonly #paths: Path2D[];
  #drawn: Int8Array;

  constructor(index: ChartIndex) {
    this.#index = index;
    this.#paths = index.chart.sections.map((s) => outlinePath(s.outline));
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
    const { ratio, camera, view, detail, book, theme } = scene;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height);
    const k = ratio * camera.scale;
    ctx.setTransform(k, 0, 0, k, ratio * view.w / 2 - k * camera.x, ratio * view.h / 2 - k * camera.y);
    this.#drawFocus(ctx, camera, theme);
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
    this.#labelFocus(ctx, camera, view, theme);
    if (detail.level === "far") for (const s of seen) this.#labelSection(ctx, scene, s);
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
    if (detail.level === "far") {
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
    const { sectionBox: box, centre, chart } = this.#index;
    const w = (box[s * 4 + 2] - box[s * 4]) * camera.scale, h = (box[s * 4 + 3] - box[s * 4 + 1]) * camera.scale;
    const label = chart.sections[s].label;
    const size = Math.min(15, h * 0.62, (w * 0.86) / (label.length * 0.62));
    if (size < 7) return;
    ctx.font = `600 ${size}px ${theme.font}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = css(readable(this.#fill(s, scene), theme.ink, theme.paper));
    ctx.fillText(label, toScreenX(camera, view, centre[s * 2]), toScreenY(camera, view, centre[s * 2 + 1]) + 0.5);
  }

  /** Row labels stand one and a half seats beyond both ends of the row, in line with it. */
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
      this.#rowLabel(ctx, camera, view, label, from, Math.min(from + 1, to - 1));
      if (to - from > 1) this.#rowLabel(ctx, camera, view, label, to - 1, to - 2);
    }
  }

  #rowLabel(ctx: CanvasRenderingContext2D, camera: Camera, view: Size, label: string, end: number, next: number): void {
    const { chart, pitch } = this.#index;
    const dx = chart.x[end] - chart.x[next], dy = chart.y[end] - chart.y[next];
    const length = Math.hypot(dx, dy);
    const [ux, uy] = length > 0 ? [dx / length, dy / length] : [-1, 0];
    const x = toScreenX(camera, view, chart.x[end] + ux * pitch * 1.05), y = toScreenY(camera, view, chart.y[end] + uy * pitch * 1.05);
    if (x > -20 && x < view.w + 20 && y > -20 && y < view.h + 20) ctx.fillText(label, x, y);
  }

  #drawFocus(ctx: CanvasRenderingContext2D, camera: Camera, theme: Theme): void {
    const { kind, x, y, w, h } = this.#index.focus;
    ctx.fillStyle = css(kind === "field" ? theme.field : theme.ink);
    ctx.beginPath();
    ctx.roundRect(x - w / 2, y - h / 2, w, h, Math.min(w, h) * (kind === "field" ? 0.04 : 0.16));
    ctx.fill();
    if (kind === "stage") return;
    ctx.strokeStyle = css(theme.fieldLine);
    ctx.lineWidth = Math.max(1.5 / camera.scale, Math.min(w, h) * 0.008);
    ctx.beginPath();
    const m = Math.min(w, h) * 0.06, long = w >= h;
    ctx.rect(x - w / 2 + m, y - h / 2 + m, w - 2 * m, h - 2 * m);
    if (long) ctx.moveTo(x, y - h / 2 + m), ctx.lineTo(x, y + h / 2 - m);
    else ctx.moveTo(x - w / 2 + m, y), ctx.lineTo(x + w / 2 - m, y);
    const r = Math.min(w, h) * 0.14;
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, 2 * Math.PI);
    const bw = w * (long ? 0.12 : 0.5), bh = h * (long ? 0.5 : 0.12);
    if (long) ctx.rect(x - w / 2 + m, y - bh / 2, bw, bh), ctx.rect(x + w / 2 - m - bw, y - bh / 2, bw, bh);
    else ctx.rect(x - bw / 2, y - h / 2 + m, bw, bh), ctx.rect(x - bw / 2, y + h / 2 - m - bh, bw, bh);
    ctx.stroke();
  }

  /** The word on the stage; a field explains itself by its lines. */
  focusLabel = "";

  #labelFocus(ctx: CanvasRenderingContext2D, camera: Camera, view: Size, theme: Theme): void {
    const { kind, x, y, w, h } = this.#index.focus;
    const size = Math.min(18, h * camera.scale * 0.5, (w * camera.scale) / (this.focusLabel.length + 2));
    if (kind !== "stage" || size < 8) return;
    ctx.font = `700 ${size}px ${theme.font}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = css(theme.paper);
    ctx.fillText(this.focusLabel, toScreenX(camera, view, x), toScreenY(camera, view, y) + 0.5);
  }
}

export const overlaps = (boxes: Float32Array, i: number, b: { x0: number; y0: number; x1: number; y1: number }): boolean =>
  boxes[i * 4] <= b.x1 && boxes[i * 4 + 2] >= b.x0 && boxes[i * 4 + 1] <= b.y1 && boxes[i * 4 + 3] >= b.y0;

function outlinePath(points: Float32Array): Path2D {
  const path = new Path2D();
  for (let i = 0; i < points.length; i += 2) {
    if (i === 0) path.moveTo(points[0], points[1]);
    else path.lineTo(points[i], points[i + 1]);
  }
  path.closePath();
  return path;
}

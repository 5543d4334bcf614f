import type { SeatBook } from "./book.ts";
import { toScreenX, toScreenY, visible } from "./camera.ts";
import type { ChartIndex } from "./chart.ts";
import { centroid } from "./geometry-chart.ts";
import type { Shape } from "./geometry.ts";
import { evenly, roomAt, roomiest } from "./labels.ts";
import type { RowLabels } from "./row-labels.ts";
import type { Scene } from "./scene.ts";
import { categoryColour, css, mix, pen, readable, type Rgb } from "./theme.ts";

const STEPS = 12; // shades of "how much is free"
const SMALLEST = 6.5, LARGEST = 14; // CSS pixels of a section's label: a stadium's on a phone are the smallest
const AREA = 8.5; // from which an area's name has its count below
const MARGIN = 0.92; // share of its room that a label takes: neighbours' must not read as one
const CAPITAL = 0.73; // height of figures and capitals in sizes of the font
const SIZE = 2 / CAPITAL; // of a label in halves of the height it has room for

const STAGE = 0.2; // share of ink in its ground: it is no brighter than seats in the dark, and no darker in the light
const COUNT = 0.8; // size of an area's count in sizes of its name
const TWO_LINES = 2.35; // height of name and count in sizes of the name, with as much room above as the count has below

/** Half pixels: a hundred sections have a dozen sizes then, and each size is a font that has to be made. */
const halves = (size: number): number => Math.floor(size * 2) / 2;

interface Spot { x: number; y: number; room: number }

/** Where a section's label is and how large it may be, in chart units; area: with its count below. */
interface LabelPlace { at: Spot; area: Spot | null }

/** The words on the map that are not the chart's own. */
export interface MapWords {
  /** For a stage that has no name of its own. */
  stage: string;
  /** How many places of an area are free. */
  places(free: number, total: number): string;
}

/** What lies under the seats: field or stage, sections with labels, row labels. */
export class BaseLayer {
  readonly #index: ChartIndex;
  readonly #paths: Path2D[];
  readonly #shapes: Path2D[];
  readonly #words: MapWords;
  /** Whether words are drawn. */
  declare words: boolean;
  /** Labels of rows; without them there are none. */
  rows: RowLabels | null = null;
  #drawn: Int8Array;
  readonly #areas: number[]; // sections without numbered seats
  readonly #counts: Int32Array; // of free places that are written on them
  #labelPlaces: { font: string; of: LabelPlace[] } = { font: "", of: [] };

  constructor(index: ChartIndex, words: MapWords) {
    this.#index = index;
    this.#words = words;
    this.#areas = index.chart.sections.flatMap((s, i) => (s.general ? [i] : []));
    this.#counts = new Int32Array(index.chart.sections.length).fill(-1);
    this.#paths = index.chart.sections.map((s) => outline(s.outline, true));
    this.#shapes = index.shapes.map((s) => outline(s.points, s.role !== "line"));
    this.#drawn = new Int8Array(index.chart.sections.length);
  }

  /** Whether the shades on screen are older than the book. */
  stale(book: SeatBook): boolean {
    for (let s = 0; s < this.#drawn.length; s++) if (this.#shade(book, s) !== this.#drawn[s]) return true;
    return this.staleCounts(book);
  }

  /** Whether the counts on screen are: they are there at every level. */
  staleCounts(book: SeatBook): boolean {
    return this.#areas.some((s) => book.free[s] !== this.#counts[s]);
  }

  /** -1 nothing free that the fan looks for, else 0..STEPS. One free seat already counts: a fan must be able to see it. */
  #shade(book: SeatBook, s: number): number {
    const { from, to } = this.#index.chart.sections[s];
    const free = book.open[s];
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
      this.#counts[s] = book.free[s];
      if (overlaps(this.#index.sectionBox, s, box)) {
        seen.push(s);
        this.#drawSection(ctx, scene, s);
      }
    }
    if (!this.words) return;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#labelShapes(ctx, scene);
    this.#measureLabels(ctx, scene.theme.font);
    for (const s of seen) {
      if (chart.sections[s].general) this.#labelArea(ctx, scene, s);
      else if (detail.level === "far") this.#labelSection(ctx, scene, s);
    }
    if (detail.rows) for (const s of seen) this.rows?.draw(ctx, scene, s);
  }

  /** The colour of a section far away: its price category's, paler the less is free. */
  #fill(s: number, { theme, book }: Scene): Rgb {
    const category = book.hue[s];
    if (this.#drawn[s] < 0 || category < 0) return mix(theme.paper, theme.quiet, 0.55);
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
    const { at: { x, y, room } } = this.#labelPlaces.of[s];
    const size = halves(Math.min(LARGEST, room * camera.scale * MARGIN));
    if (size < SMALLEST) return;
    pen(ctx, readable(this.#fill(s, scene), theme.ink, theme.paper), `600 condensed ${size}px ${theme.font}`);
    ctx.fillText(this.#index.chart.sections[s].label, toScreenX(camera, view, x), toScreenY(camera, view, y) + 0.5);
  }

  /** An area's name with how many places are free, at every level: it has no seats that would say so. */
  #labelArea(ctx: CanvasRenderingContext2D, scene: Scene, s: number): void {
    const { camera, view, theme, book } = scene;
    const spot = this.#labelPlaces.of[s].area;
    const size = halves(Math.min(LARGEST * 1.3, (spot ? spot.room * camera.scale * MARGIN : 0)));
    if (!spot || size < AREA) return this.#labelSection(ctx, scene, s);
    const { name, from, to } = this.#index.chart.sections[s];
    const x = toScreenX(camera, view, spot.x), y = toScreenY(camera, view, spot.y);
    pen(ctx, readable(this.#fill(s, scene), theme.ink, theme.paper), `700 ${size}px ${theme.font}`);
    const count = this.#words.places(Math.max(0, book.free[s]), to - from);
    ctx.fillText(name, x, count ? y - size * 0.35 : y); // of what is over nothing is counted
    ctx.font = `500 ${size * COUNT}px ${theme.font}`;
    ctx.fillText(count, x, y + size * 0.75);
  }

  /** How large each section's label may be, in chart units, measured with the font it is written in. */
  #measureLabels(ctx: CanvasRenderingContext2D, font: string): void {
    if (this.#labelPlaces.font === font) return;
    ctx.font = `600 condensed 100px ${font}`;
    const { sections } = this.#index.chart;
    const of = sections.map(({ label, name, outline, centre, general, from, to }): LabelPlace => {
      const aspect = Math.max(ctx.measureText(label).width / 100, 0.3) / CAPITAL;
      const middle = roomAt(outline, centre.x, centre.y, aspect), at = middle > 0 ? { ...centre, room: middle } : roomiest(outline, centre, aspect); // looking is dear, and the first frame waits
      at.room *= SIZE;
      if (!general) return { at, area: null };
      const wide = Math.max(ctx.measureText(name).width * 1.1, ctx.measureText(this.#words.places(to - from, to - from)).width * COUNT) / 100;
      const both = central(outline, centre.x, wide / TWO_LINES) ?? roomiest(outline, centre, wide / TWO_LINES);
      return { at, area: { ...both, room: (both.room * 2) / TWO_LINES } };
    });
    evenly(sections.map((s) => s.label), of.map((p) => p.at));
    this.#labelPlaces = { font, of };
  }

  /** Stage, pitch, areas and their markings, in the theme's colours: the chart's own are made for one background only. */
  #drawShapes(ctx: CanvasRenderingContext2D, { camera, theme }: Scene): void {
    this.#index.shapes.forEach(({ role }, i) => {
      if (role === "text") return;
      if (role === "line") {
        ctx.strokeStyle = css(theme.fieldLine);
        ctx.lineWidth = Math.max(1.25 / camera.scale, this.#index.pitch * 0.2);
        return ctx.stroke(this.#shapes[i]);
      }
      ctx.fillStyle = css(role === "stage" ? mix(theme.paper, theme.ink, STAGE) : role === "pitch" ? theme.field : mix(theme.paper, theme.field, 0.5));
      ctx.fill(this.#shapes[i]);
    });
  }

  #labelShapes(ctx: CanvasRenderingContext2D, scene: Scene): void {
    for (const shape of this.#index.shapes) {
      if (shape.role === "stage") this.#labelShape(ctx, scene, shape, /^(stage)?$/i.test(shape.label) ? this.#words.stage : shape.label);
      else if (shape.role === "text") this.#labelShape(ctx, scene, shape, shape.label);
    }
  }

  #labelShape(ctx: CanvasRenderingContext2D, { camera, view, theme }: Scene, { role, points }: Shape, text: string): void {
    const at = centroid(points);
    const xs = points.filter((_, i) => i % 2 === 0), width = Math.max(...xs) - Math.min(...xs);
    const room = role === "text" ? 14 : Math.min(18, (width * camera.scale) / (text.length * 0.75 + 1));
    const size = Math.min(room, this.#index.pitch * camera.scale * 6);
    if (text === "" || size < 8) return;
    pen(ctx, theme.ink, `700 ${size}px ${theme.font}`);
    ctx.fillText(text, toScreenX(camera, view, at.x), toScreenY(camera, view, at.y) + 0.5);
  }
}

/** The widest place straight above or below the middle, if it is nearly as wide as any: a curved strip is labelled at its crown. */
function central(points: Float32Array, x: number, aspect: number): Spot | null {
  const ys = points.filter((_, i) => i % 2 === 1), low = Math.min(...ys), high = Math.max(...ys);
  let best: Spot = { x, y: low, room: 0 };
  for (let i = 1; i < 40; i++) {
    const y = low + ((high - low) * i) / 40, room = roomAt(points, x, y, aspect);
    if (room > best.room) best = { x, y, room };
  }
  return best.room > 0 && best.room >= 0.7 * roomiest(points, best, aspect).room ? best : null;
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

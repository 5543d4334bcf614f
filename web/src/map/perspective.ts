import type { Chart } from "./geometry.ts";

// What one sees from a section, worked out from a plan that knows no heights: rows rise the further they are from the stage.

export interface Point3 { x: number; y: number; z: number }

/** Where somebody sits and what they look at; chart units, z up. */
export interface Eye { at: Point3; to: Point3; /** of the chart's units, a seat's width */ pitch: number }

const RAKE = 0.42; // height won for every step away from the first row
const SITTING = 2.4; // pitches from the floor of a row to the eyes of who sits there
const NEAR = 1; // pitches before the eye from which things are drawn

/** How high the floor is at a place: level with the stage up to the nearest seats, and rising from there. */
export function groundOf(chart: Chart): (x: number, y: number) => number {
  let nearest = Infinity;
  for (let o = 0; o < chart.seats; o++) nearest = Math.min(nearest, Math.hypot(chart.x[o] - chart.focal.x, chart.y[o] - chart.focal.y));
  if (!Number.isFinite(nearest)) nearest = 0;
  return (x, y) => Math.max(0, Math.hypot(x - chart.focal.x, y - chart.focal.y) - nearest) * RAKE;
}

/** The eye of somebody in the middle of a section. */
export function eyeOf(chart: Chart, section: number): Eye {
  const { from, to, centre, general } = chart.sections[section];
  let { x, y } = centre;
  if (!general && to > from) {
    x = y = 0;
    for (let o = from; o < to; o++) [x, y] = [x + chart.x[o] / (to - from), y + chart.y[o] / (to - from)];
  }
  const z = groundOf(chart)(x, y) + SITTING * chart.pitch;
  return { at: { x, y, z }, to: { ...chart.focal, z: chart.pitch * 1.5 }, pitch: chart.pitch };
}

/** Chart points as a picture of w × h pixels sees them; depth is how far before the eye, in chart units. */
export class Projection {
  readonly #eye: Eye;
  readonly #forward: Point3;
  readonly #right: Point3;
  readonly #up: Point3;
  readonly #scale: number;
  readonly #w: number;
  readonly #h: number;

  constructor(eye: Eye, w: number, h: number, widest = (64 * Math.PI) / 180) {
    this.#eye = eye;
    this.#w = w;
    this.#h = h;
    this.#forward = unit(minus(eye.to, eye.at));
    this.#right = unit(cross(this.#forward, { x: 0, y: 0, z: -1 })); // charts have y downwards
    this.#up = cross(this.#forward, this.#right);
    if (this.#up.z < 0) this.#up = { x: -this.#up.x, y: -this.#up.y, z: -this.#up.z };
    this.#scale = w / 2 / Math.tan(widest / 2);
  }

  depth(p: Point3): number {
    return dot(minus(p, this.#eye.at), this.#forward);
  }

  /** Where a point before the eye is in the picture. */
  place(p: Point3): [x: number, y: number, depth: number] {
    const d = minus(p, this.#eye.at), depth = dot(d, this.#forward), k = this.#scale / Math.max(depth, 1e-6);
    return [this.#w / 2 + dot(d, this.#right) * k, this.#h * 0.46 - dot(d, this.#up) * k, depth];
  }

  /** A polygon without what is behind the eye, as places in the picture; empty when all is. */
  outline(points: readonly Point3[], closed = true): [number, number][] {
    const near = NEAR * this.#eye.pitch, out: Point3[] = [];
    points.forEach((p, i) => {
      const before = i > 0 || closed ? points[(i + points.length - 1) % points.length]! : null;
      const d = this.depth(p) - near, d0 = before ? this.depth(before) - near : d;
      if (before && d > 0 !== d0 > 0) out.push(between(before, p, d0 / (d0 - d)));
      if (d > 0) out.push(p);
    });
    return out.map((p) => this.place(p)).map(([x, y]) => [x, y]);
  }
}

const minus = (a: Point3, b: Point3): Point3 => ({ x: a.x - b.x, y: a.y - b.y, z: a.z - b.z });
const dot = (a: Point3, b: Point3): number => a.x * b.x + a.y * b.y + a.z * b.z;
const cross = (a: Point3, b: Point3): Point3 => ({ x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x });
const between = (a: Point3, b: Point3, t: number): Point3 => ({ x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t, z: a.z + (b.z - a.z) * t });

function unit(a: Point3): Point3 {
  const length = Math.hypot(a.x, a.y, a.z) || 1;
  return { x: a.x / length, y: a.y / length, z: a.z / length };
}

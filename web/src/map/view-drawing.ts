import type { ChartIndex } from "./chart.ts";
import { eyeOf, groundOf, type Point3, Projection } from "./perspective.ts";
import { css, mix, type Rgb, type Theme } from "./theme.ts";

/** Draws what one sees from a section: hall, stands, field or stage with people on it, and the heads in front. */
export function drawView(ctx: CanvasRenderingContext2D, index: ChartIndex, section: number, theme: Theme): void {
  const { width, height } = ctx.canvas, { chart } = index;
  const eye = eyeOf(chart, section), see = new Projection(eye, width, height), ground = groundOf(chart);
  const on = (x: number, y: number, lift = 0): Point3 => ({ x, y, z: ground(x, y) + lift * chart.pitch });
  const polygon = (points: readonly Point3[], colour: Rgb, closed = true): void => {
    const shape = see.outline(points, closed);
    if (shape.length < 2) return;
    ctx.beginPath();
    shape.forEach(([x, y], i) => (i === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
    if (closed) {
      ctx.closePath();
      ctx.fillStyle = css(colour);
      ctx.fill();
    } else {
      ctx.strokeStyle = css(colour);
      ctx.stroke();
    }
  };
  hall(ctx, theme);

  for (const { role, points } of index.shapes) {
    if (role === "text" || role === "stage") continue;
    const flat = pairs(points).map(([x, y]) => ({ x, y, z: 0 }));
    ctx.lineWidth = Math.max(1.5, width / 500);
    polygon(flat, role === "line" ? theme.fieldLine : role === "pitch" ? theme.field : mix(theme.paper, theme.field, 0.5), role !== "line");
  }

  // stands, the furthest first; their rows as lines, which is what a crowd looks like from far away
  const far = (s: number): number => Math.hypot(chart.sections[s].centre.x - eye.at.x, chart.sections[s].centre.y - eye.at.y);
  const order = chart.sections.map((_, s) => s).filter((s) => s !== section).sort((a, b) => far(b) - far(a));
  const stage = index.shapes.filter((s) => s.role === "stage"), stageFar = Math.hypot(eye.to.x - eye.at.x, eye.to.y - eye.at.y);
  let staged = false;
  const setStage = (): void => {
    staged = true;
    for (const { points } of stage) platform(pairs(points), polygon, theme, chart.pitch * 2.2);
    people(ctx, see, chart.focal, stage.length > 0 ? chart.pitch * 2.2 : 0, chart.pitch, stage.length > 0 ? 4 : 9, theme);
  };
  for (const s of order) {
    if (!staged && far(s) < stageFar) setStage();
    const { outline, rowFrom, rowTo, general } = chart.sections[s];
    polygon(pairs(outline).map(([x, y]) => on(x, y)), mix(theme.paper, theme.quiet, 0.55));
    if (general) continue;
    ctx.lineWidth = Math.max(1, width / 900);
    for (let r = rowFrom; r < rowTo; r++) {
      const { from, to } = chart.rows[r], step = Math.max(1, Math.ceil((to - from) / 8));
      const line: Point3[] = [];
      for (let o = from; o < to; o += step) line.push(on(chart.x[o], chart.y[o], 1.6));
      line.push(on(chart.x[to - 1], chart.y[to - 1], 1.6));
      polygon(line, mix(theme.paper, theme.quiet, 1), false);
    }
  }
  if (!staged) setStage();
  heads(ctx, index, section, see, on, theme);
}

const pairs = (points: Float32Array): [number, number][] => Array.from({ length: points.length / 2 }, (_, i) => [points[i * 2], points[i * 2 + 1]]);

function hall(ctx: CanvasRenderingContext2D, theme: Theme): void {
  const { width, height } = ctx.canvas, light = ctx.createLinearGradient(0, 0, 0, height);
  light.addColorStop(0, css(mix(theme.paper, theme.ring, 0.3)));
  light.addColorStop(0.5, css(mix(theme.paper, theme.ring, 0.06)));
  light.addColorStop(1, css(mix(theme.paper, theme.quiet, 0.35)));
  ctx.fillStyle = light;
  ctx.fillRect(0, 0, width, height);
}

/** A stage as a box: its sides, then its top. */
function platform(corners: [number, number][], polygon: (p: readonly Point3[], c: Rgb) => void, theme: Theme, z: number): void {
  corners.forEach(([x, y], i) => {
    const [x1, y1] = corners[(i + 1) % corners.length]!;
    polygon([{ x, y, z: 0 }, { x: x1, y: y1, z: 0 }, { x: x1, y: y1, z }, { x, y, z }], mix(theme.paper, theme.ink, 0.62));
  });
  polygon(corners.map(([x, y]) => ({ x, y, z })), mix(theme.paper, theme.ink, 0.8));
}

/** A few people where everybody looks, so that one sees how far away that is. */
function people(ctx: CanvasRenderingContext2D, see: Projection, at: { x: number; y: number }, z: number, pitch: number, many: number, theme: Theme): void {
  for (let i = 0; i < many; i++) {
    const angle = i * 2.4, r = Math.sqrt(i) * (many > 4 ? 9 : 2.2) * pitch; // spread as the seeds of a sunflower
    const foot = { x: at.x + Math.cos(angle) * r, y: at.y + Math.sin(angle) * r, z };
    if (see.depth(foot) < pitch) continue;
    const [x, y] = see.place(foot), [, top] = see.place({ ...foot, z: z + 3.6 * pitch });
    const tall = y - top, head = tall * 0.14;
    ctx.fillStyle = css(many > 4 ? theme.ink : theme.ring);
    ctx.beginPath();
    ctx.roundRect(x - tall * 0.14, top + head * 1.6, tall * 0.28, tall - head * 1.6, tall * 0.1);
    ctx.arc(x, top + head, head, 0, 2 * Math.PI);
    ctx.fill();
  }
}

/** Who sits between this place and the stage, the nearest last and darkest. */
function heads(ctx: CanvasRenderingContext2D, index: ChartIndex, section: number, see: Projection, on: (x: number, y: number, lift: number) => Point3, theme: Theme): void {
  const { chart } = index, { from, to, general } = chart.sections[section];
  if (general) return;
  const before: [number, number, number][] = [];
  for (let o = from; o < to; o++) {
    const p = see.place(on(chart.x[o], chart.y[o], 2));
    if (p[2] > 1.6 * chart.pitch) before.push(p);
  }
  before.sort((a, b) => b[2] - a[2]);
  const { width } = ctx.canvas, nearest = before[before.length - 1]?.[2] ?? 1;
  for (const [x, y, depth] of before) {
    const r = ((width / 2) * 0.42 * chart.pitch) / depth;
    if (x < -r || x > width + r || r < 0.4) continue;
    ctx.fillStyle = css(mix(theme.paper, theme.ink, 0.34 + 0.46 * Math.min(1, nearest / depth)));
    ctx.beginPath();
    ctx.arc(x, y, r, 0, 2 * Math.PI);
    ctx.roundRect(x - r * 1.8, y + r * 0.9, r * 3.6, r * 4, r * 1.4);
    ctx.fill();
  }
}

// What is computed from a chart once, for drawing and for finding seats.
import type { Chart, Shape } from "./geometry.ts";

/** Boxes are x0, y0, x1, y1 in a flat array. */
export interface ChartIndex {
  chart: Chart;
  /** Usual distance of two neighbours, in chart units. */
  pitch: number;
  rowBox: Float32Array;
  sectionBox: Float32Array;
  /** What is drawn but not sold: the chart's own shapes, or a stage or field of ours where it has none. */
  shapes: readonly Shape[];
  bounds: { x0: number; y0: number; x1: number; y1: number };
}

export function indexChart(chart: Chart): ChartIndex {
  const shapes = chart.shapes.length > 0 ? chart.shapes : [focusOf(chart)], rowBox = rowBoxes(chart);
  return { chart, pitch: chart.pitch, shapes, rowBox, sectionBox: sectionBoxes(chart, rowBox), bounds: boundsWith(chart, shapes) };
}

/** Looks at every seat before the first frame, when none of this is compiled yet: hence plain. */
function rowBoxes({ rows, x, y }: Chart): Float32Array {
  const out = new Float32Array(rows.length * 4);
  for (let r = 0; r < rows.length; r++) {
    const { from, to } = rows[r];
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
    for (let o = from; o < to; o++) {
      const px = x[o], py = y[o];
      if (px < x0) x0 = px;
      if (px > x1) x1 = px;
      if (py < y0) y0 = py;
      if (py > y1) y1 = py;
    }
    out[r * 4] = x0;
    out[r * 4 + 1] = y0;
    out[r * 4 + 2] = x1;
    out[r * 4 + 3] = y1;
  }
  return out;
}

/** Rows and outline together: a general-admission section has all of its places at one point. */
function sectionBoxes(chart: Chart, rowBox: Float32Array): Float32Array {
  const out = new Float32Array(chart.sections.length * 4);
  chart.sections.forEach(({ outline, rowFrom, rowTo }, i) => {
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
    for (let b = rowFrom * 4; b < rowTo * 4; b += 4) {
      x0 = Math.min(x0, rowBox[b]); x1 = Math.max(x1, rowBox[b + 2]);
      y0 = Math.min(y0, rowBox[b + 1]); y1 = Math.max(y1, rowBox[b + 3]);
    }
    for (let p = 0; p < outline.length; p += 2) {
      x0 = Math.min(x0, outline[p]); x1 = Math.max(x1, outline[p]);
      y0 = Math.min(y0, outline[p + 1]); y1 = Math.max(y1, outline[p + 1]);
    }
    out.set([x0, y0, x1, y1], i * 4);
  });
  return out;
}

/** A field when seats surround the focal point, else a stage in front of them. */
function focusOf(chart: Chart): Shape {
  const { pitch, bounds, focal } = chart;
  const clear = clearance(chart);
  const w = Math.min(clear.left, clear.right), h = Math.min(clear.up, clear.down);
  if (Number.isFinite(w) && Number.isFinite(h) && Math.min(w, h) > 4 * pitch) {
    return box("pitch", focal.x, focal.y, w * 1.3, h * 1.3);
  }
  const width = (bounds.x1 - bounds.x0) * 0.4, depth = Math.max(2.5 * pitch, width * 0.12);
  const nearest = Math.min(clear.left, clear.right, clear.up, clear.down);
  const audienceBelow = bounds.y0 + bounds.y1 > 2 * focal.y;
  return box("stage", focal.x, focal.y + (audienceBelow ? -1 : 1) * Math.max(0, depth - nearest), width, depth);
}

/** How far the nearest seat is from the focal point in each of four directions; Infinity for none. */
function clearance(chart: Chart): { left: number; right: number; up: number; down: number } {
  const clear = { left: Infinity, right: Infinity, up: Infinity, down: Infinity };
  for (let o = 0; o < chart.seats; o++) {
    const dx = chart.x[o] - chart.focal.x, dy = chart.y[o] - chart.focal.y;
    const side = Math.abs(dx) >= Math.abs(dy) ? (dx < 0 ? "left" : "right") : dy < 0 ? "up" : "down";
    clear[side] = Math.min(clear[side], Math.max(Math.abs(dx), Math.abs(dy)));
  }
  return clear;
}

function box(role: Shape["role"], x: number, y: number, w: number, h: number): Shape {
  const [x0, x1, y0, y1] = [x - w / 2, x + w / 2, y - h / 2, y + h / 2];
  return { role, label: "", color: "", points: new Float32Array([x0, y0, x1, y0, x1, y1, x0, y1]) };
}

function boundsWith(chart: Chart, shapes: readonly Shape[]): ChartIndex["bounds"] {
  const b = { ...chart.bounds };
  for (const points of [...chart.sections.map((s) => s.outline), ...shapes.map((s) => s.points)]) {
    for (let i = 0; i < points.length; i += 2) {
      b.x0 = Math.min(b.x0, points[i]); b.x1 = Math.max(b.x1, points[i]);
      b.y0 = Math.min(b.y0, points[i + 1]); b.y1 = Math.max(b.y1, points[i + 1]);
    }
  }
  return b;
}

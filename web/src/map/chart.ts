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
  const shapes = chart.shapes.length > 0 ? chart.shapes : [focusOf(chart)];
  return {
    chart, pitch: chart.pitch, shapes, rowBox: boxes(chart, chart.rows), sectionBox: sectionBoxes(chart), bounds: boundsWith(chart, shapes),
  };
}

function boxes(chart: Chart, runs: readonly { from: number; to: number }[]): Float32Array {
  const out = new Float32Array(runs.length * 4);
  runs.forEach((run, i) => {
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
    for (let o = run.from; o < run.to; o++) {
      x0 = Math.min(x0, chart.x[o]); x1 = Math.max(x1, chart.x[o]);
      y0 = Math.min(y0, chart.y[o]); y1 = Math.max(y1, chart.y[o]);
    }
    out.set([x0, y0, x1, y1], i * 4);
  });
  return out;
}

/** Seats and outline together: a general-admission section has all of its places at one point. */
function sectionBoxes(chart: Chart): Float32Array {
  const out = boxes(chart, chart.sections);
  chart.sections.forEach(({ outline }, i) => {
    for (let p = 0; p < outline.length; p += 2) {
      out[i * 4] = Math.min(out[i * 4], outline[p]); out[i * 4 + 2] = Math.max(out[i * 4 + 2], outline[p]);
      out[i * 4 + 1] = Math.min(out[i * 4 + 1], outline[p + 1]); out[i * 4 + 3] = Math.max(out[i * 4 + 3], outline[p + 1]);
    }
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

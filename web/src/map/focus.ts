import type { Chart, Shape } from "./geometry.ts";

/** Gives a chart without shapes of its own a stage or a field of ours, and answers it. */
export function withFocus(chart: Chart): Chart {
  if (chart.shapes.length === 0) chart.shapes.push(focusOf(chart));
  return chart;
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

import type { ChartIndex } from "./chart.ts";

/** The seat nearest to a chart point within reach (chart units), or -1. Only rows whose box is near are looked at. */
export function seatAt(index: ChartIndex, x: number, y: number, reach: number): number {
  const { chart, rowBox, sectionBox } = index;
  let best = -1, bestD = reach * reach;
  for (let s = 0; s < chart.sections.length; s++) {
    if (!near(sectionBox, s, x, y, reach)) continue;
    for (let r = chart.sections[s].rowFrom; r < chart.sections[s].rowTo; r++) {
      if (chart.sections[s].general || !near(rowBox, r, x, y, reach)) continue;
      for (let o = chart.rows[r].from; o < chart.rows[r].to; o++) {
        const d = (chart.x[o] - x) ** 2 + (chart.y[o] - y) ** 2;
        if (d < bestD) {
          bestD = d;
          best = o;
        }
      }
    }
  }
  return best;
}

const near = (box: Float32Array, i: number, x: number, y: number, reach: number): boolean =>
  x >= box[i * 4] - reach && x <= box[i * 4 + 2] + reach && y >= box[i * 4 + 1] - reach && y <= box[i * 4 + 3] + reach;

/** The section whose outline contains the point, or -1. */
export function sectionAt(index: ChartIndex, x: number, y: number): number {
  const { sections } = index.chart;
  for (let s = 0; s < sections.length; s++) {
    if (near(index.sectionBox, s, x, y, 2 * index.pitch) && inside(sections[s].outline, x, y)) return s;
  }
  return -1;
}

/** Even-odd rule; points are x, y pairs. */
export function inside(points: Float32Array, x: number, y: number): boolean {
  let odd = false;
  for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
    const yi = points[i + 1], yj = points[j + 1];
    if (yi > y !== yj > y && x < ((points[j] - points[i]) * (y - yi)) / (yj - yi) + points[i]) odd = !odd;
  }
  return odd;
}

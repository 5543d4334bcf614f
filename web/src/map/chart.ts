// What is computed from a chart once, for drawing and for finding seats.
import type { Chart, Shape } from "./geometry.ts";

/** Boxes are x0, y0, x1, y1 in a flat array. */
export interface ChartIndex {
  chart: Chart;
  /** Usual distance of two neighbours, in chart units. */
  pitch: number;
  rowBox: Float32Array;
  sectionBox: Float32Array;
  /** What is drawn but not sold: see focus.ts for charts that say nothing of it. */
  shapes: readonly Shape[];
  bounds: { x0: number; y0: number; x1: number; y1: number };
}

export function indexChart(chart: Chart): ChartIndex {
  const { shapes } = chart, rowBox = rowBoxes(chart);
  return { chart, pitch: chart.pitch, shapes, rowBox, sectionBox: sectionBoxes(chart, rowBox), bounds: boundsWith(chart, shapes) };
}

/** Works out again what follows from seats, which have been read by now: they come after the first frame of a venue that is seen from afar. */
export function seatsCame({ chart, rowBox, sectionBox }: ChartIndex): void {
  rowBox.set(rowBoxes(chart));
  sectionBox.set(sectionBoxes(chart, rowBox));
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

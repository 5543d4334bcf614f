// What the map needs of a chart (map/geometry.ts decodes one), and what is computed from it once.

export interface Section {
  label: string; name: string; from: number; to: number; rowFrom: number; rowTo: number; outline: Float32Array; category: number;
}

export interface Row { label: string; section: number; from: number; to: number }

export interface Chart {
  seats: number;
  x: Float32Array;
  y: Float32Array;
  section: Uint16Array;
  row: Uint16Array;
  category: Uint8Array;
  /** 1 accessible, 2 companion. */
  flags: Uint8Array;
  sections: Section[];
  rows: Row[];
  categories: { key: string; name: string; color: string }[];
  bounds: { x0: number; y0: number; x1: number; y1: number };
  focal: { x: number; y: number };
  number(o: number): string;
  label(o: number): string;
}

/** Boxes are x0, y0, x1, y1 in a flat array. */
export interface ChartIndex {
  chart: Chart;
  /** Usual distance of two neighbours, in chart units. */
  pitch: number;
  rowBox: Float32Array;
  sectionBox: Float32Array;
  /** Where a section's label goes: x, y. */
  centre: Float32Array;
  /** What people look at, as a shape in the empty space around the focal point. */
  focus: { kind: "field" | "stage"; x: number; y: number; w: number; h: number };
  bounds: { x0: number; y0: number; x1: number; y1: number };
}

export function indexChart(chart: Chart): ChartIndex {
  const rowBox = boxes(chart, chart.rows);
  const sectionBox = boxes(chart, chart.sections);
  const pitch = pitchOf(chart);
  const focus = focusOf(chart, pitch);
  return { chart, pitch, rowBox, sectionBox, centre: centres(chart, sectionBox), focus, bounds: boundsWith(chart, focus) };
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

/** The median distance of neighbours over a sample of rows; 1 for a chart without neighbours. */
function pitchOf(chart: Chart): number {
  const gaps: number[] = [];
  const step = Math.max(1, Math.floor(chart.rows.length / 400));
  for (let r = 0; r < chart.rows.length; r += step) {
    const { from, to } = chart.rows[r];
    for (let o = from + 1; o < to; o++) gaps.push(Math.hypot(chart.x[o] - chart.x[o - 1], chart.y[o] - chart.y[o - 1]));
  }
  gaps.sort((a, b) => a - b);
  return gaps.find((g, i) => i >= gaps.length / 2 && g > 0) ?? 1;
}

function centres(chart: Chart, box: Float32Array): Float32Array {
  const out = new Float32Array(chart.sections.length * 2);
  chart.sections.forEach((s, i) => {
    const c = s.outline.length >= 6 ? centroid(s.outline) : null;
    out[i * 2] = c ? c.x : (box[i * 4] + box[i * 4 + 2]) / 2;
    out[i * 2 + 1] = c ? c.y : (box[i * 4 + 1] + box[i * 4 + 3]) / 2;
  });
  return out;
}

/** The centre of gravity of a polygon given as x, y pairs; null for one without an area. */
export function centroid(points: Float32Array): { x: number; y: number } | null {
  let area = 0, x = 0, y = 0;
  for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
    const cross = points[j] * points[i + 1] - points[i] * points[j + 1];
    area += cross;
    x += (points[j] + points[i]) * cross;
    y += (points[j + 1] + points[i + 1]) * cross;
  }
  return Math.abs(area) < 1e-9 ? null : { x: x / (3 * area), y: y / (3 * area) };
}

/** A field when seats surround the focal point, else a stage in front of them. */
function focusOf(chart: Chart, pitch: number): ChartIndex["focus"] {
  const { x: fx, y: fy } = chart.focal;
  const clear = { left: Infinity, right: Infinity, up: Infinity, down: Infinity };
  for (let o = 0; o < chart.seats; o++) {
    const dx = chart.x[o] - fx, dy = chart.y[o] - fy;
    if (Math.abs(dx) >= Math.abs(dy)) {
      if (dx < 0) clear.left = Math.min(clear.left, -dx);
      else clear.right = Math.min(clear.right, dx);
    } else if (dy < 0) clear.up = Math.min(clear.up, -dy);
    else clear.down = Math.min(clear.down, dy);
  }
  const w = Math.min(clear.left, clear.right), h = Math.min(clear.up, clear.down);
  if (Number.isFinite(w) && Number.isFinite(h) && Math.min(w, h) > 4 * pitch) {
    return { kind: "field", x: fx, y: fy, w: w * 1.3, h: h * 1.3 };
  }
  const width = (chart.bounds.x1 - chart.bounds.x0) * 0.4;
  const depth = Math.max(2.5 * pitch, width * 0.12);
  const nearest = Math.min(clear.left, clear.right, clear.up, clear.down);
  const below = chart.bounds.y0 + chart.bounds.y1 > 2 * fy; // the audience is below the focal point
  const y = nearest > depth ? fy : fy + (below ? -1 : 1) * (depth - Math.min(nearest, depth));
  return { kind: "stage", x: fx, y, w: width, h: depth };
}

function boundsWith(chart: Chart, focus: ChartIndex["focus"]): ChartIndex["bounds"] {
  const b = { ...chart.bounds };
  for (const s of chart.sections) {
    for (let i = 0; i < s.outline.length; i += 2) {
      b.x0 = Math.min(b.x0, s.outline[i]); b.x1 = Math.max(b.x1, s.outline[i]);
      b.y0 = Math.min(b.y0, s.outline[i + 1]); b.y1 = Math.max(b.y1, s.outline[i + 1]);
    }
  }
  b.x0 = Math.min(b.x0, focus.x - focus.w / 2); b.x1 = Math.max(b.x1, focus.x + focus.w / 2);
  b.y0 = Math.min(b.y0, focus.y - focus.h / 2); b.y1 = Math.max(b.y1, focus.y + focus.h / 2);
  return b;
}

// What a chart is on the page. geometry.ts decodes one.

export interface Section {
  label: string; // first part of its seats' labels
  name: string; // for people; equal to label when there is nothing better to say
  from: number; // ordinals, half-open
  to: number;
  rowFrom: number; // indexes into rows, half-open
  rowTo: number;
  outline: Float32Array; // x0, y0, x1, y1, … closed polygon
  centre: { x: number; y: number }; // centre of mass of the outline
  category: number; // the commonest among its seats
  general: boolean; // general admission: places without numbers; all are at the centre
}

export interface Row {
  label: string;
  section: number;
  from: number;
  to: number;
}

export interface Category {
  key: string;
  name: string;
  color: string; // #rrggbb
}

export type ShapeRole = "stage" | "pitch" | "area" | "line" | "text";

// A shape is drawn but not sold: stage, pitch and area closed and filled, line open,
// text at its only point.
export interface Shape {
  role: ShapeRole;
  label: string;
  color: string; // #rrggbb, or "" for the page's choice
  points: Float32Array; // x0, y0, x1, y1, …
}

export interface Chart {
  seats: number;
  x: Float32Array;
  y: Float32Array;
  section: Uint16Array;
  row: Uint16Array;
  category: Uint8Array;
  flags: Uint8Array; // ACCESSIBLE | COMPANION
  sections: Section[];
  rows: Row[];
  categories: Category[];
  shapes: Shape[];
  bounds: { x0: number; y0: number; x1: number; y1: number };
  focal: { x: number; y: number };
  pitch: number; // usual distance of two neighbours
  number(o: number): string;
  label(o: number): string; // SECTION-ROW-NUMBER, the public seat id
}

export const ACCESSIBLE = 1;
export const COMPANION = 2;

// rowLabelPoint is where a row's label goes: one and a half places beyond its first
// (end 0) or last (end 1) seat.
export function rowLabelPoint(chart: Chart, row: number, end: 0 | 1): { x: number; y: number } {
  const { from, to } = chart.rows[row];
  const tip = end === 0 ? from : to - 1;
  const beside = to - from < 2 ? tip : end === 0 ? from + 1 : to - 2;
  let dx = chart.x[tip] - chart.x[beside];
  let dy = chart.y[tip] - chart.y[beside];
  const length = Math.hypot(dx, dy);
  if (length === 0) [dx, dy] = [end === 0 ? -1 : 1, 0];
  const scale = (1.5 * chart.pitch) / (length || 1);
  return { x: chart.x[tip] + dx * scale, y: chart.y[tip] + dy * scale };
}

// centroid is the polygon's centre of mass; the mean of its corners when it has no area.
export function centroid(points: Float32Array): { x: number; y: number } {
  const n = points.length;
  let [x, y, twice, meanX, meanY] = [0, 0, 0, 0, 0];
  for (let i = 0; i < n; i += 2) {
    const [ax, ay, bx, by] = [points[i], points[i + 1], points[(i + 2) % n], points[(i + 3) % n]];
    const w = ax * by - bx * ay;
    x += (ax + bx) * w;
    y += (ay + by) * w;
    twice += w;
    meanX += (2 * ax) / n;
    meanY += (2 * ay) / n;
  }
  if (Math.abs(twice) < 1e-9) return { x: meanX, y: meanY };
  return { x: x / (3 * twice), y: y / (3 * twice) };
}

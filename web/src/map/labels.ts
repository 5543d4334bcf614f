// Where labels have room: computed once per chart, in chart units, so that a frame only compares sizes.
import { inside } from "./hit.ts";

/**
 * Half the height of the largest box, aspect times as wide as high, that is centred at a point and lies within the
 * polygon however that is turned; 0 from outside.
 */
export function roomAt(points: Float32Array, x: number, y: number, aspect: number): number {
  if (!inside(points, x, y)) return 0;
  let room = Infinity;
  for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
    room = Math.min(room, toEdge((points[j] - x) / aspect, points[j + 1] - y, (points[i] - x) / aspect, points[i + 1] - y));
  }
  return Number.isFinite(room) ? room : 0;
}

/** Where in the polygon that box may be largest, looked for uphill from a point: a wedge has more room at its wide end. */
export function roomiest(points: Float32Array, from: { x: number; y: number }, aspect: number): { x: number; y: number; room: number } {
  let best = { x: from.x, y: from.y, room: roomAt(points, from.x, from.y, aspect) };
  const xs = points.filter((_, i) => i % 2 === 0);
  let step = (Math.max(...xs) - Math.min(...xs)) / 4;
  for (let tries = 0; tries < 40 && step > best.room / 20; tries++) {
    const { x, y } = best;
    for (const [dx, dy] of COMPASS) {
      const room = roomAt(points, x + dx * step, y + dy * step, aspect);
      if (room > best.room) best = { x: x + dx * step, y: y + dy * step, room };
    }
    if (best.x === x && best.y === y) step /= 2;
  }
  return best;
}

/**
 * Gives sections of one ring ("101" to "136") the room that nine of ten of them have: its labels come and go together and are of
 * one size. A section with less keeps that.
 */
export function evenly(labels: readonly string[], places: readonly { room: number }[]): void {
  const rings = new Map<string, { room: number }[]>();
  labels.forEach((label, i) => {
    const ring = label.replace(/\d\d?$/, "");
    if (!rings.has(ring)) rings.set(ring, []);
    rings.get(ring)!.push(places[i]);
  });
  for (const ring of rings.values()) {
    const { room } = ring.sort((a, b) => a.room - b.room)[Math.floor(ring.length / 10)];
    for (const place of ring) place.room = Math.min(place.room, room);
  }
}

const COMPASS = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]] as const;

/** The distance of a line from the origin by the longer of its two parts, which is smallest at a corner of that measure. */
function toEdge(ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax, dy = by - ay;
  return Math.min(Math.max(Math.abs(ax), Math.abs(ay)), Math.max(Math.abs(bx), Math.abs(by)), longer(-ax / dx, ax, ay, dx, dy), longer(-ay / dy, ax, ay, dx, dy),
    longer((ay - ax) / (dx - dy), ax, ay, dx, dy), longer(-(ax + ay) / (dx + dy), ax, ay, dx, dy));
}

/** That measure at a share of a line's way; a line that is parallel has no such share. */
const longer = (at: number, ax: number, ay: number, dx: number, dy: number): number =>
  (at >= 0 && at <= 1 ? Math.max(Math.abs(ax + at * dx), Math.abs(ay + at * dy)) : Infinity);

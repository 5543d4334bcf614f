// What moves a map beside hands on it: buttons, keys, and whoever speaks of seats.
import { type Box, clamp, fit, pan, toScreenX, toScreenY } from "./camera.ts";
import type { SeatBook } from "./book.ts";
import { sectionAt } from "./hit.ts";
import { CHOOSING } from "./lod.ts";
import type { SeatMap } from "./seat-map.ts";

/** Zooms around the middle of the view; over a field, towards the nearest seats. */
export function zoom(map: SeatMap, book: SeatBook, factor: number): void {
  const c = map.camera;
  const section = factor > 1 && sectionAt(map.index, c.x, c.y) < 0 ? nearestSection(map, book) : -1;
  const { x, y } = section < 0 ? c : map.index.chart.sections[section].centre;
  const share = section < 0 ? 0 : Math.min(1, factor - 1);
  map.fly(clamp({ x: c.x + (x - c.x) * share, y: c.y + (y - c.y) * share, scale: c.scale * factor }, map.limits));
}

function nearestSection({ camera, index }: SeatMap, book: SeatBook): number {
  let best = -1, bestD = Infinity;
  index.chart.sections.forEach(({ centre }, s) => {
    // ties go down the screen: people expect the side that is nearer to them
    const d = Math.hypot(centre.x - camera.x, centre.y - camera.y) - (centre.y > camera.y ? index.pitch : 0);
    if (d < bestD && book.open[s] > 0) [best, bestD] = [s, d];
  });
  return best;
}

/** Moves by shares of the view. */
export const nudge = (map: SeatMap, dx: number, dy: number): void =>
  map.fly(pan(map.camera, -dx * map.view.w, -dy * map.view.h, map.limits));

/** Flies to seats so that all are in view and big enough to recognise, and with what is around them rather than emptiness before a first row. */
export function showSeats(map: SeatMap, ordinals: readonly number[]): void {
  if (ordinals.length === 0) return;
  const { chart: { x, y, section, sections }, pitch } = map.index, m = pitch * 6;
  const box: Box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const o of ordinals) {
    box.x0 = Math.min(box.x0, x[o] - m); box.x1 = Math.max(box.x1, x[o] + m);
    box.y0 = Math.min(box.y0, y[o] - m); box.y1 = Math.max(box.y1, y[o] + m);
  }
  const whole = fit(box, map.view, 12), { w, h } = map.view, { centre } = sections[section[ordinals[0]]];
  const { scale, ...at } = clamp({ ...whole, scale: Math.min(whole.scale, CHOOSING / pitch) }, map.limits);
  map.fly({ scale, x: towards(at.x, centre.x, (w / scale - box.x1 + box.x0) / 4), y: towards(at.y, centre.y, (h / scale - box.y1 + box.y0) / 4) });
}

/** Towards a goal, as far as there is room for: half of what would keep the seats in view leaves them there when a phone is turned. */
const towards = (at: number, goal: number, room: number): number => at + Math.max(-room, Math.min(room, goal - at));

/** Where a seat is on the map and its radius, CSS pixels: for a tooltip or a ring. */
export function placeOf({ index, camera, view }: SeatMap, o: number): { x: number; y: number; r: number } {
  const { chart, pitch } = index;
  return { x: toScreenX(camera, view, chart.x[o]), y: toScreenY(camera, view, chart.y[o]), r: Math.max(4, pitch * camera.scale * 0.5) };
}

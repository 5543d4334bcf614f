import { test } from "node:test";
import assert from "node:assert/strict";
import { type Camera, toScreenX, toScreenY } from "./camera.ts";
import { indexChart } from "./chart.ts";
import { bowl } from "./sample-chart.ts";
import type { SeatMap } from "./seat-map.ts";
import { showSeats } from "./travel.ts";

const chart = bowl(1, 12, 20, 25), index = indexChart(chart);

/** Where the camera goes to show these seats. */
function shown(view: { w: number; h: number }, seats: readonly number[]): Camera {
  let camera: Camera = { x: 0, y: 0, scale: 1 };
  showSeats({ index, view, limits: { min: 0.1, max: 100, bounds: chart.bounds }, fly: (to: Camera) => (camera = to) } as unknown as SeatMap, seats);
  return camera;
}

const distance = (a: { x: number; y: number }, b: { x: number; y: number }): number => Math.hypot(a.x - b.x, a.y - b.y);

test("seats are shown with their section around them, and stay in view", () => {
  for (const view of [{ w: 390, h: 360 }, { w: 820, h: 513 }, { w: 1004, h: 764 }]) {
    for (const { from, to, centre } of chart.sections) {
      for (const seats of [[from], [from, from + 1, from + 2], [to - 1]]) {
        const camera = shown(view, seats), first = { x: chart.x[seats[0]!]!, y: chart.y[seats[0]!]! };
        assert.ok(distance(camera, centre) < distance(first, centre), "the view is nearer to the middle of the section than the seat is");
        for (const o of seats) {
          const x = toScreenX(camera, view, chart.x[o]!), y = toScreenY(camera, view, chart.y[o]!);
          assert.ok(x > 60 && x < view.w - 60 && y > 60 && y < view.h - 60, `seat ${o} is at ${x}, ${y} of ${view.w} x ${view.h}`);
        }
      }
    }
  }
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { indexChart } from "./chart.ts";
import { rowLabelPoint } from "./geometry.ts";
import { inside } from "./hit.ts";
import { evenly, roomAt, roomiest } from "./labels.ts";
import { FIRST_END, LAST_END, rowLabelEnds } from "./row-labels.ts";
import { bowl } from "./sample-chart.ts";

const turned = (points: number[], angle: number): Float32Array => {
  const out = new Float32Array(points.length), c = Math.cos(angle), s = Math.sin(angle);
  for (let i = 0; i < points.length; i += 2) out.set([points[i]! * c - points[i + 1]! * s, points[i]! * s + points[i + 1]! * c], i);
  return out;
};

test("a label's box touches the outline and stays within, however the section is turned", () => {
  const shapes = [[-5, -2, 5, -2, 5, 2, -5, 2], [-2, -4, 2, -4, 4, 4, -4, 4], [-6, -3, 6, -3, 0, 5]];
  for (const shape of shapes) {
    for (let angle = 0; angle < 3.2; angle += 0.17) {
      const outline = turned(shape, angle);
      for (const aspect of [1, 2.4, 4]) {
        const r = roomAt(outline, 0, 0, aspect);
        const grown = (by: number): boolean => // along the whole edge of the box
          Array.from({ length: 41 }, (_, i) => i / 20 - 1).every((u) =>
            [[u, -1], [u, 1], [-1, u], [1, u]].every(([x, y]) => inside(outline, x! * r * aspect * by, y! * r * by)));
        assert.ok(r > 0 && grown(0.98) && !grown(1.12), `${shape} ${angle} ${aspect}`);
      }
    }
  }
});

test("a wedge's label moves to its wide end, a rectangle's stays in the middle", () => {
  const wedge = new Float32Array([-2, 0, 2, 0, 6, 20, -6, 20]);
  const found = roomiest(wedge, { x: 0, y: 8 }, 2.5);
  assert.ok(found.y > 12 && Math.abs(found.x) < 0.5 && found.room > roomAt(wedge, 0, 8, 2.5) * 1.3);
  const middle = roomiest(new Float32Array([0, 0, 10, 0, 10, 4, 0, 4]), { x: 5, y: 2 }, 2.5);
  assert.deepEqual([middle.x, middle.y], [5, 2]);
});

test("a ring's labels are of one size and come together; a corner that is smaller takes none of the others' away", () => {
  const rooms: Record<string, number> = { 101: 5, 102: 3, 103: 4, 104: 4, 105: 6, 106: 4, 107: 4, 108: 4, 109: 5, 110: 4, 201: 9, 202: 8, Balcony: 7, A1: 2, B1: 3 };
  const places = Object.values(rooms).map((room) => ({ room }));
  evenly(Object.keys(rooms), places);
  const found = Object.fromEntries(Object.keys(rooms).map((label, i) => [label, places[i]!.room]));
  assert.deepEqual(found, { 101: 4, 102: 3, 103: 4, 104: 4, 105: 4, 106: 4, 107: 4, 108: 4, 109: 4, 110: 4, 201: 8, 202: 8, Balcony: 7, A1: 2, B1: 3 });
});

test("on a phone a stadium's rings have all of their labels, or none", () => {
  const chart = bowl(3, 40, 20, 25), k = 340 / (chart.bounds.x1 - chart.bounds.x0);
  const places = chart.sections.map(({ outline, centre }) => ({ room: roomAt(outline, centre.x, centre.y, 2.5) }));
  const ringsBy = (least: number): number[] => [1, 2, 3].map((tier) => places.filter((p, i) => chart.sections[i]!.label[0] === String(tier) && p.room * k >= least).length);
  const apart = ringsBy(places.map((p) => p.room * k).sort((a, b) => a - b)[30]!);
  assert.ok(apart.some((n) => n > 0 && n < 40), "each by itself some of a ring have theirs and others not");
  evenly(chart.sections.map((s) => s.label), places);
  for (let least = 0; least < 12; least += 0.01) {
    for (const n of ringsBy(least)) assert.ok(n === 0 || n >= 36, `${n} of 40 at ${least}`);
  }
});

test("no room outside of the outline", () => assert.equal(roomAt(new Float32Array([0, 0, 4, 0, 4, 4, 0, 4]), 9, 2, 2), 0));

test("a straight row keeps both labels; where two sections share a narrow aisle one label stands in it", () => {
  const chart = bowl(1, 2, 1, 6);
  const line = (gap: number): Uint8Array => {
    for (let o = 0; o < chart.seats; o++) [chart.x[o], chart.y[o]] = [o * 0.45 + (o >= 6 ? gap : 0), 0];
    chart.sections.forEach((s, i) => (s.outline = new Float32Array([i * 9, -1, i * 9 + 3, -1, i * 9 + 3, 1, i * 9, 1])));
    return rowLabelEnds(indexChart(chart));
  };
  assert.deepEqual([...line(20)], [FIRST_END | LAST_END, FIRST_END | LAST_END]);
  assert.deepEqual([...line(0.4)], [FIRST_END, LAST_END]); // too narrow for any
  assert.deepEqual([...line(0.7)], [FIRST_END, FIRST_END | LAST_END]);
});

test("no two row labels of a bowl meet, and none lies on a seat", () => {
  const chart = bowl(2, 24, 8, 12), ends = rowLabelEnds(indexChart(chart));
  const at = chart.rows.flatMap((_, r) => ([0, 1] as const).filter((e) => ends[r]! & (e ? LAST_END : FIRST_END)).map((e) => rowLabelPoint(chart, r, e)));
  assert.ok(at.length >= chart.rows.length * 0.9);
  for (let i = 0; i < at.length; i++) {
    for (let j = 0; j < i; j++) assert.ok(Math.abs(at[i]!.x - at[j]!.x) > 0.2 || Math.abs(at[i]!.y - at[j]!.y) > 0.2);
    for (let o = 0; o < chart.seats; o++) assert.ok(Math.hypot(at[i]!.x - chart.x[o]!, at[i]!.y - chart.y[o]!) > 0.3);
  }
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { indexChart } from "./chart.ts";
import { inside, seatAt, sectionAt } from "./hit.ts";
import { withFocus } from "./focus.ts";
import { bowl } from "./sample-chart.ts";

const index = indexChart(withFocus(bowl()));

test("every seat is hit at its own place and by its section", () => {
  const { chart } = index;
  for (let o = 0; o < chart.seats; o += 97) {
    assert.equal(seatAt(index, chart.x[o], chart.y[o], index.pitch / 2), o);
    assert.equal(sectionAt(index, chart.x[o], chart.y[o]), chart.section[o]);
  }
});

test("seatAt agrees with looking at every seat", () => {
  const { chart } = index;
  const brute = (x: number, y: number, reach: number): number => {
    let best = -1, d = reach;
    for (let o = 0; o < chart.seats; o++) {
      const far = Math.hypot(chart.x[o] - x, chart.y[o] - y);
      if (far < d) [best, d] = [o, far];
    }
    return best;
  };
  for (let i = 0; i < 60; i++) {
    const x = Math.sin(i * 12.9) * 150, y = Math.cos(i * 78.2) * 120;
    assert.equal(seatAt(index, x, y, 1.2), brute(x, y, 1.2));
  }
});

test("the field holds no seat and no section", () => {
  assert.equal(seatAt(index, 0, 0, 2), -1);
  assert.equal(sectionAt(index, 0, 0), -1);
  assert.equal(index.shapes[0].role, "pitch");
});

test("inside handles concave outlines", () => {
  const u = new Float32Array([0, 0, 3, 0, 3, 3, 2, 3, 2, 1, 1, 1, 1, 3, 0, 3]);
  assert.ok(inside(u, 0.5, 2) && inside(u, 2.5, 2) && !inside(u, 1.5, 2));
});

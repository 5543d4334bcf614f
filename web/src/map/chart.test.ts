import { test } from "node:test";
import assert from "node:assert/strict";
import { indexChart } from "./chart.ts";
import { withFocus } from "./focus.ts";
import { bowl } from "./sample-chart.ts";

test("boxes hold their seats, bounds hold everything that is drawn", () => {
  const index = indexChart(bowl(2, 8, 3, 6));
  const { chart, rowBox, sectionBox, bounds } = index;
  for (let o = 0; o < chart.seats; o++) {
    for (const [box, i] of [[rowBox, chart.row[o]], [sectionBox, chart.section[o]]] as const) {
      assert.ok(chart.x[o] >= box[i * 4] && chart.x[o] <= box[i * 4 + 2] && chart.y[o] >= box[i * 4 + 1] && chart.y[o] <= box[i * 4 + 3]);
    }
  }
  for (const { outline } of chart.sections) for (let p = 0; p < outline.length; p += 2) assert.ok(outline[p] >= bounds.x0 && outline[p] <= bounds.x1);
});

test("a hall whose seats are all on one side of the focal point has a stage before them", () => {
  const chart = bowl(1, 8, 3, 6);
  for (let o = 0; o < chart.seats; o++) chart.y[o] += 500;
  const [shape] = withFocus({ ...chart, shapes: [], focal: { x: 0, y: 0 } }).shapes;
  assert.equal(shape.role, "stage");
});

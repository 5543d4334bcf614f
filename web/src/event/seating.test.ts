import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { indexChart, seatsCame } from "../map/chart.ts";
import { type Chart, decodeGeometry, GeometryError } from "../map/geometry.ts";
import { Seating } from "./seating.ts";

function bytes(name: string): ArrayBuffer {
  const file = readFileSync(`../core/seatmap/testdata/${name}.geometry.bin`);
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
}

/** A chart's values, without its functions. */
const values = ({ number, label, ...chart }: Chart): Partial<Chart> => chart;

for (const name of ["small", "stadium"]) {
  test(`${name}: a venue is there from afar before its seats, and whole after them`, () => {
    const seating = new Seating(bytes(name)), whole = decodeGeometry(bytes(name)), { chart } = seating;
    const index = indexChart(chart), wholeIndex = indexChart(whole);
    if (whole.shapes.length > 0) {
      assert.equal(chart.x.some((x) => x !== 0), false, "seats were read for the first frame");
      assert.deepEqual(chart.sections.map((s) => s.outline), whole.sections.map((s) => s.outline));
      assert.deepEqual([index.bounds, index.pitch, chart.seats], [wholeIndex.bounds, wholeIndex.pitch, whole.seats]);
      assert.ok(index.sectionBox.every(Number.isFinite), "a section that is nowhere would not be drawn");
    }
    seating.complete();
    seating.complete();
    seatsCame(index);
    if (whole.shapes.length > 0) assert.deepEqual(values(chart), values(whole));
    assert.deepEqual([index.rowBox, index.sectionBox], [wholeIndex.rowBox, wholeIndex.sectionBox]);
    assert.equal(chart.label(chart.seats - 1), whole.label(whole.seats - 1));
  });
}

test("seats that nobody can read are told when they are read", () => {
  const seating = new Seating(bytes("stadium").slice(0, -1));
  assert.throws(() => seating.complete(), GeometryError);
});

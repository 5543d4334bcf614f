import { test } from "node:test";
import assert from "node:assert/strict";
import { CHOOSING, detail, pixelRatio, zoomLimits } from "./lod.ts";

test("levels follow the distance of neighbours", () => {
  assert.deepEqual([1, 2.4, 6.9, 7].map((p) => detail(p).level), ["far", "dense", "dense", "near"]);
  assert.deepEqual([7, 9.5, 15].map((p) => [detail(p).rows, detail(p).numbers]), [[false, false], [true, false], [true, true]]);
});

test("choosing shows numbers and is within the zoom limits", () => {
  const { max } = zoomLimits(0.01, 0.5);
  assert.ok(detail(CHOOSING).numbers);
  assert.ok(max * 0.5 >= CHOOSING);
});

test("a tiny hall may be fitted larger than the usual closest zoom without min passing max", () => {
  const { min, max } = zoomLimits(1000, 1);
  assert.ok(min <= max);
});

test("the ratio is capped at 2, sinks while moving and late, and is full at rest", () => {
  assert.equal(pixelRatio(3, false, 50), 2);
  assert.equal(pixelRatio(3, true, 3), 2);
  assert.equal(pixelRatio(2, true, 10), 1);
  assert.equal(pixelRatio(2, true, 20), 0.75);
  assert.equal(pixelRatio(0.5, false, 0), 1);
});

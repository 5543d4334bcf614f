import { test } from "node:test";
import assert from "node:assert/strict";
import { step } from "./seat-grid.ts";

const rows = [10, 3, 7];

test("arrows stay in the grid and land on the nearest seat of a shorter row", () => {
  assert.deepEqual(step("ArrowRight", 0, 9, rows), [0, 9]);
  assert.deepEqual(step("ArrowLeft", 0, 0, rows), [0, 0]);
  assert.deepEqual(step("ArrowDown", 0, 8, rows), [1, 2]);
  assert.deepEqual(step("ArrowUp", 0, 8, rows), [0, 8]);
  assert.deepEqual(step("ArrowDown", 2, 1, rows), [2, 1]);
});

test("Home, End and pages", () => {
  assert.deepEqual(step("Home", 2, 4, rows), [2, 0]);
  assert.deepEqual(step("End", 2, 4, rows), [2, 6]);
  assert.deepEqual(step("PageDown", 0, 9, rows), [2, 6]);
  assert.equal(step("x", 0, 0, rows), null);
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { SOLD } from "../map/book.ts";
import { instead } from "./orphan.ts";
import { hall } from "./sample-hall.ts";

const sold = (...ordinals: number[]) => {
  const model = hall();
  model.book.apply(ordinals.map((ordinal) => ({ ordinal, status: SOLD })));
  return model;
};

test("a run moves onto the single seat beside it", () => {
  assert.deepEqual(instead(sold(), [1, 2], [0]), [0, 1]);
  assert.deepEqual(instead(sold(), [2, 3], [4]), [3, 4]);
});

test("nothing is offered that would leave another seat alone", () => {
  assert.equal(instead(sold(0, 4), [1, 2], [3]), null); // 2 and 3 would leave 1
  assert.equal(instead(sold(), [1, 3], [0, 2]), null);
});

test("a seat of another row is no neighbour", () => {
  assert.equal(instead(sold(6), [4], [5]), null);
});

test("a single seat that somebody has taken by now is not offered", () => {
  assert.equal(instead(sold(0), [1, 2], [0]), null);
});

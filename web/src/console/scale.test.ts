import { test } from "node:test";
import assert from "node:assert/strict";
import { axis, closest, group, thin, times } from "./scale.ts";

test("axes end and step at round numbers", () => {
  assert.deepEqual(axis(100), [0, 25, 50, 75, 100]);
  assert.deepEqual(axis(56_308), [0, 20_000, 40_000, 60_000]);
  assert.deepEqual([axis(0), axis(1), axis(3)], [[0, 1], [0, 1], [0, 1, 2, 3]]);
  for (let most = 1; most < 3000; most++) {
    const lines = axis(most);
    assert.ok(lines.length <= 5 && lines.at(-1)! >= most && lines.every(Number.isInteger), `${most}: ${lines}`);
  }
});

test("times are few and round", () => {
  const from = Date.UTC(2026, 11, 1, 12, 0, 7);
  assert.deepEqual(times(from, from + 60_000, 4).map((at) => new Date(at).toISOString().slice(14, 19)), ["00:15", "00:30", "00:45", "01:00"]);
  for (const minutes of [1, 7, 60, 500, 5000]) assert.ok(times(from, from + minutes * 60_000, 5).length <= 6);
});

test("a long history is thinned and keeps its end", () => {
  const all = Array.from({ length: 1000 }, (_, i) => i);
  assert.equal(thin(all, 300).length, 300);
  assert.equal(thin(all, 300).at(-1), 999);
  assert.deepEqual(thin([1, 2], 300), [1, 2]);
  assert.deepEqual(group([1, 2, 3, 4, 5], 2), [[1, 2, 3], [4, 5]]);
  assert.equal(group(all, 40).length, 40);
});

test("bars are as wide as the closest two leave room for", () => {
  assert.equal(closest([0, 5000, 5250, 9000]), 250);
  assert.equal(closest([7]), 1000);
  assert.equal(closest([]), 1000);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { applyFrame, emptyMap, replaceAll, type LiveMap } from "./live-map.ts";
import { epochMark, type Delta, type Frame, type Snapshot } from "./wire.ts";

function snapshot(offset: number, statuses: number[], stream = 9): Snapshot {
  const position = { event: 1, stream, offset, mark: epochMark(1, stream) };
  return { kind: "snapshot", position, seats: statuses.length, ranges: [[0, statuses.length]], statuses: Uint8Array.from(statuses) };
}

function delta(from: number, to: number, changes: [number, number][], stream = 9): Delta {
  return {
    kind: "delta", mark: epochMark(1, stream), from, to, at: 0,
    ordinals: Uint32Array.from(changes.map((c) => c[0])), statuses: Uint8Array.from(changes.map((c) => c[1])),
  };
}

function show(...frames: Frame[]): LiveMap {
  const map = emptyMap();
  for (const f of frames) applyFrame(map, f);
  return map;
}

const base = snapshot(10, [0, 0, 0, 0]);
const one = delta(10, 12, [[0, 1]]);
const two = delta(12, 15, [[0, 0], [1, 2]]);
const three = delta(15, 16, [[3, 1]]);
const end = [0, 2, 0, 1];

test("the same final map in every order, with repetitions", () => {
  const frames = [base, one, two, three];
  for (const order of permutations(frames)) {
    for (const again of frames) {
      const map = show(...order, again);
      assert.deepEqual([...map.statuses], end);
      assert.equal(map.position?.offset, 16);
      assert.equal(map.early.length, 0);
    }
  }
});

test("a viewer in the middle of a range takes the whole of it", () => {
  const map = show(snapshot(13, [0, 2, 0, 0]), two, three);
  assert.deepEqual([...map.statuses], end);
});

test("a missing delta is a gap and nothing behind it is shown", () => {
  const map = show(base, one);
  const applied = applyFrame(map, three);
  assert.ok(applied.gap);
  assert.deepEqual(applied.deltas, []);
  assert.deepEqual([...map.statuses], [1, 0, 0, 0]);
  const filled = applyFrame(map, two);
  assert.ok(!filled.gap);
  assert.deepEqual(filled.deltas, [two, three]);
});

test("a viewer that slept gets a new snapshot and forgets what waited", () => {
  const map = show(base, three);
  applyFrame(map, snapshot(400, [2, 2, 2, 2]));
  assert.deepEqual([...map.statuses], [2, 2, 2, 2]);
  assert.equal(map.early.length, 0);
});

test("another epoch: its deltas wait for its snapshot, old ones are ignored", () => {
  const map = show(base);
  assert.ok(!applyFrame(map, delta(10, 11, [[2, 3]], 8)).gap);
  assert.deepEqual([...map.statuses], [0, 0, 0, 0]);
  applyFrame(map, snapshot(3, [1, 1, 1, 1], 8));
  assert.deepEqual([...map.statuses], [1, 1, 1, 1]);
  applyFrame(map, one);
  assert.deepEqual([...map.statuses], [1, 1, 1, 1]);
});

test("a late copy of an old snapshot changes nothing", () => {
  const map = show(base, one, two);
  assert.ok(!applyFrame(map, base).snapshot);
  assert.equal(map.position?.offset, 15);
});

test("a section's snapshot leaves other seats as they were; a stray ordinal does no harm", () => {
  const map = show(snapshot(10, [1, 1, 1, 1]));
  applyFrame(map, { ...snapshot(11, [0, 0]), seats: 4, ranges: [[2, 4]] });
  assert.deepEqual([...map.statuses], [1, 1, 0, 0]);
  applyFrame(map, delta(11, 12, [[999, 1]]));
  assert.equal(map.statuses.length, 4);
});

test("too many early deltas are bounded", () => {
  const map = emptyMap();
  for (let i = 0; i < 500; i++) applyFrame(map, delta(i, i + 1, [[0, 1]]));
  assert.equal(map.early.length, 64);
});

test("a polled map has no position to resume from", () => {
  const map = show(base);
  replaceAll(map, Uint8Array.from([3, 3, 3, 3]));
  assert.equal(map.position, null);
  assert.deepEqual(map.ranges, [[0, 4]]);
});

function* permutations<T>(items: T[]): Generator<T[]> {
  if (items.length < 2) yield items;
  for (let i = 0; i < items.length; i++) {
    for (const rest of permutations([...items.slice(0, i), ...items.slice(i + 1)])) yield [items[i], ...rest];
  }
}

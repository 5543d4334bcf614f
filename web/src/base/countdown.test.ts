import { test } from "node:test";
import assert from "node:assert/strict";
import { clockFace, milestone, mmss, urgency } from "./countdown.ts";

test("every milestone is announced once, when it is crossed", () => {
  const said: number[] = [];
  for (let left = 420_000, last = Infinity; left > -1000; last = left, left -= 250) {
    const m = milestone(last, left);
    if (m) said.push(m);
  }
  assert.deepEqual(said, [300, 120, 60, 30]);
});

test("a tab that slept over several says only the last; one that slept to the end says none", () => {
  assert.equal(milestone(400_000, 50_000), 60);
  assert.equal(milestone(400_000, -1), null);
});

test("a first look at a hold with little time announces where it is", () => {
  assert.equal(milestone(Infinity, 100_000), 120);
});

test("time is rounded up and never negative", () => {
  assert.equal(mmss(420_000), "7:00");
  assert.equal(mmss(59_001), "1:00");
  assert.equal(mmss(1), "0:01");
  assert.equal(mmss(0), "0:00");
  assert.equal(mmss(-5), "0:00");
});

test("urgency grows", () => {
  assert.deepEqual([121_000, 120_000, 60_000].map(urgency), ["calm", "soon", "now"]);
});

test("hours are shown when there are some", () => {
  assert.deepEqual([3_599_000, 3_600_000, 36_061_000].map(clockFace), ["59:59", "1:00:00", "10:01:01"]);
});

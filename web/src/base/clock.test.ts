import { test } from "node:test";
import assert from "node:assert/strict";
import { ServerClock } from "./clock.ts";

test("a phone that is nine minutes slow still counts down by the server's time", () => {
  let local = 1_000_000;
  const clock = new ServerClock(() => local);
  local += 80;
  clock.learn(1_000_040 + 540_000, 1_000_000, 0);
  assert.equal(clock.now() - local, 540_000);
});

test("a coarse Date header does not replace an exact sample", () => {
  let local = 0;
  const clock = new ServerClock(() => local);
  local = 20;
  clock.learn(10_010, 0, 0);
  const before = clock.now();
  clock.learn(10_000, 0, 1000);
  assert.equal(clock.now(), before);
});

test("a sample that contradicts the old one wins: the phone's clock was changed", () => {
  let local = 0;
  const clock = new ServerClock(() => local);
  clock.learn(10_000, 0, 0);
  local = -3_600_000; // set back by an hour
  clock.learn(11_000, local, 1000);
  assert.ok(Math.abs(clock.now() - 11_500) <= 1);
});

test("an answer without a time teaches nothing", () => {
  const clock = new ServerClock(() => 5);
  clock.learn(NaN, 0, 1000);
  assert.equal(clock.now(), 5);
});

test("an answer from a cache on the way is as old as it says", () => {
  const clock = new ServerClock(() => 0);
  clock.learn(50_000 + 9000, 0, 2000); // Date and Age, both cut to whole seconds
  assert.equal(clock.now(), 60_000);
});

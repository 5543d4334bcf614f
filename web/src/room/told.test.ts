import { test } from "node:test";
import assert from "node:assert/strict";
import { line } from "./fake-line.ts";
import { explain, nothingTold } from "./told.ts";

const place = (high: number) => ({ ahead: 100, standardError: 1, low: high / 2, high });
const told = explain(nothingTold, line(), place(600), 0);

test("an estimate that holds needs no words", () => {
  assert.equal(told.why, null);
  assert.equal(explain(told, line(), place(590), 10_000).why, null);
  assert.equal(explain(told, line(), place(640), 10_000).why, null, "50 s later is nobody's news");
  assert.equal(explain(told, line(), place(300), 10_000).told!.until, 310_000, "a better one is the new word");
});

test("what comes later is explained, by the pause when there was one", () => {
  assert.deepEqual(explain(told, line(), place(900), 60_000).why, { cause: "slower", by: 360_000, pausedFor: 0 });
  const paused = explain(told, line({ paused: 300_000 }), place(900), 60_000).why;
  assert.equal(paused?.cause, "paused");
  assert.equal(paused?.pausedFor, 300_000);
});

test("an explanation stays for three minutes", () => {
  const late = explain(told, line(), place(900), 60_000);
  assert.equal(explain(late, line(), place(800), 160_000).why?.cause, "slower");
  assert.equal(explain(late, line(), place(700), 260_000).why, null);
});

test("an unknown time tells nothing", () => assert.deepEqual(explain(nothingTold, line(), place(0), 0), nothingTold));

import { test } from "node:test";
import assert from "node:assert/strict";
import { cohortBars, pauses } from "./charts.ts";
import type { Moment } from "./types.ts";

const moment = (seconds: number, phase: string): Moment => ({ at: new Date(seconds * 1000).toISOString(), phase }) as Moment;

test("pauses are spans of the history, the last one as long as it", () => {
  const history = ["open", "paused", "paused", "open", "open", "paused", "paused"].map((phase, i) => moment(i * 5, phase));
  assert.deepEqual(pauses(history), [{ from: 5000, to: 15_000 }, { from: 25_000, to: 30_000 }]);
  assert.deepEqual(pauses([]), []);
});

test("many cohorts become few bars without losing anybody", () => {
  const cohorts = Array.from({ length: 240 }, (_, i) => ({ at: new Date(i * 1000).toISOString(), tickets: 10, came: 4, complete: i < 200 }));
  const bars = cohortBars(cohorts);
  assert.equal(bars.length, 40);
  assert.deepEqual([bars.reduce((n, b) => n + b.whole, 0), bars.reduce((n, b) => n + b.part, 0)], [2400, 960]);
  assert.equal(bars.filter((b) => b.young).length, 7);
});

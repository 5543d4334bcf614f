import { test } from "node:test";
import assert from "node:assert/strict";
import { etaText, pollDelay } from "./line.ts";

test("polling is sooner near the turn, slower in a hidden tab, and never stops growing past its cap (case 6)", () => {
  assert.ok(pollDelay(3, false, 0) < pollDelay(100, false, 0));
  assert.ok(pollDelay(100, false, 0) < pollDelay(100_000, false, 0));
  assert.equal(pollDelay(3, true, 0), 5000);
  assert.deepEqual([1, 2, 3, 4, 50].map((n) => pollDelay(3, false, n)), [2000, 4000, 8000, 15_000, 15_000]);
});

test("an estimate is a range in minutes, never below one", () => {
  assert.equal(etaText(null), "");
  assert.equal(etaText([5, 40]), "Less than a minute to go.");
  assert.equal(etaText([30, 300]), "About 1 to 5 min to go.");
});

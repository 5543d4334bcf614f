import { test } from "node:test";
import assert from "node:assert/strict";
import { countdown, inWords, percentOf, rangeText, spanText } from "./words.ts";

test("a countdown over days, hours, minutes, and never below zero", () => {
  assert.equal(countdown(2 * 86_400_000 + 3_723_000), "2 days 1:02:03");
  assert.equal(countdown(86_400_000), "1 day 0:00:00");
  assert.equal(countdown(3_723_000), "1:02:03");
  assert.equal(countdown(59_001), "1:00");
  assert.equal(countdown(-5), "0:00");
});

test("spans in minutes, then hours", () => {
  assert.equal(spanText(61_000, Math.floor), "1\u00a0min");
  assert.equal(spanText(61_000, Math.ceil), "2\u00a0min");
  assert.equal(spanText(5_700_000), "1\u00a0h\u00a035\u00a0min");
  assert.equal(spanText(0), "1\u00a0min");
});

test("a range says its unit once, and one span when both are the same", () => {
  assert.equal(rangeText(26.2 * 60_000, 26.9 * 60_000), "26–27\u00a0min");
  assert.equal(rangeText(26 * 60_000, 26 * 60_000), "26\u00a0min");
  assert.equal(rangeText(80 * 60_000, 100 * 60_000), "80\u00a0min – 1\u00a0h\u00a040\u00a0min");
});

test("a chance is rounded down", () => {
  assert.equal(percentOf(0.339), "33%");
  assert.equal(percentOf(0.0129), "1.2%");
});

test("the operator's words in the page's language, else the nearest", () => {
  assert.equal(inWords({ "en-GB": "hello", "pt-BR": "oi" }), "hello");
  assert.equal(inWords({ "pt-BR": "oi" }), "oi");
  assert.equal(inWords({}), "");
});

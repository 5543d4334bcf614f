import { test } from "node:test";
import assert from "node:assert/strict";
import { daysOf, daysText, spanOf, todayHere } from "./days.ts";

test("spans begin today, weekends with Saturday", () => {
  assert.deepEqual(daysOf("today", "2026-12-31"), { from: "2026-12-31", to: "2026-12-31" });
  assert.deepEqual(daysOf("week", "2026-12-28"), { from: "2026-12-28", to: "2027-01-03" });
  assert.deepEqual(daysOf("month", "2028-02-01"), { from: "2028-02-01", to: "2028-03-01" });
  for (const [today, from, to] of [
    ["2026-11-30", "2026-12-05", "2026-12-06"], // a Monday
    ["2026-12-04", "2026-12-05", "2026-12-06"],
    ["2026-12-05", "2026-12-05", "2026-12-06"],
    ["2026-12-06", "2026-12-06", "2026-12-06"], // a Sunday: what is left of it
  ]) assert.deepEqual(daysOf("weekend", today!), { from, to });
});

test("a day on which clocks change is a day", () => {
  assert.deepEqual(daysOf("week", "2026-03-27"), { from: "2026-03-27", to: "2026-04-02" }); // Europe's begins on the 29th
  assert.deepEqual(daysOf("week", "2026-10-31"), { from: "2026-10-31", to: "2026-11-06" }); // the United States' ends on the 1st
});

test("days are known again", () => {
  const today = "2026-11-30";
  for (const span of ["today", "weekend", "week", "month"] as const) {
    const { from, to } = daysOf(span, today);
    assert.equal(spanOf(from, to, today), span);
  }
  assert.equal(spanOf("", "", today), "");
  assert.equal(spanOf("2026-12-24", "", today), "own");
});

test("days are said as people say them", () => {
  assert.equal(daysText("2026-12-01", "2026-12-01"), "Dec 1");
  assert.match(daysText("2026-12-01", "2026-12-07"), /^Dec 1\s*–\s*7$/);
  assert.equal(daysText("2026-12-01", ""), "Dec 1 –");
  assert.equal(daysText("", "2026-12-01"), "– Dec 1");
});

test("today is the calendar's of the reader", () => {
  assert.equal(todayHere(new Date(2026, 0, 5, 23, 59)), "2026-01-05");
});

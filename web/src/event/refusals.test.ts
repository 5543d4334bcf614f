import { test } from "node:test";
import assert from "node:assert/strict";
import { Problem } from "../api/problem.ts";
import { refusal, takenSeats, takenText } from "./refusals.ts";

test("every refusal a fan can meet has words of its own", () => {
  const codes = ["NO_SEATS", "SEAT_BLOCKED", "ORPHAN_SEAT", "LIMIT_EXCEEDED", "PAYMENT_IN_PROGRESS", "PAYMENT_WINDOW", "EVENT_STATE",
    "HOLD_LIMIT", "HOLD_GONE", "SESSION_REPLACED", "BUSY", "OFFLINE", "NOT_FOUND", "UNAUTHENTICATED", "INTERNAL", "RATE_LIMITED"];
  const texts = codes.map((code) => refusal(new Problem(code, 409), 6));
  assert.equal(new Set(texts).size, codes.length);
});

test("a changed price names the new total", () => {
  const text = refusal(new Problem("PRICE_CHANGED", 409, { total: { amount: 36_000, currency: "BRL" } }), 6);
  assert.match(text, /360\.00/);
});

test("lost seats are named, and the rest is promised only when there is one", () => {
  assert.match(takenText(["Section A, row 1, seat 2"], 1), /^Section A, row 1, seat 2 was taken/);
  assert.match(takenText(["A", "B"], 2), /^A; B were taken/);
  assert.match(takenText(["A"], 0), /Somebody was faster/);
});

test("SEAT_TAKEN without a list is survived", () => {
  assert.deepEqual(takenSeats(new Problem("SEAT_TAKEN", 409)), []);
  assert.deepEqual(takenSeats(new Problem("SEAT_TAKEN", 409, { seats: ["A-1-2"] })), ["A-1-2"]);
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { Problem } from "../api/problem.ts";
import { hall } from "./sample-hall.ts";
import { refusal, takenSeats } from "./refusals.ts";

const brl = (amount: number) => ({ amount, currency: "BRL" });
const refuse = (code: string, details: Record<string, unknown> = {}, asked = {}) => refusal(new Problem(code, 409, details), hall(), asked);

test("every refusal a fan can meet has words of its own", () => {
  const codes = ["NO_SEATS", "SEAT_BLOCKED", "ORPHAN_SEAT", "LIMIT_EXCEEDED", "PAYMENT_IN_PROGRESS", "PAYMENT_WINDOW", "EVENT_STATE",
    "HOLD_LIMIT", "HOLD_GONE", "SESSION_REPLACED", "BUSY", "OFFLINE", "NOT_FOUND", "UNAUTHENTICATED", "INTERNAL", "RATE_LIMITED"];
  const texts = codes.map((code) => refuse(code).text);
  assert.equal(new Set(texts).size, codes.length);
  const reasons = ["sold_out", "price", "sections", "accessible", "quantity", "contended"].map((reason) => refuse("NO_SEATS", { reason }).text);
  assert.equal(new Set(reasons).size, reasons.length);
});

test("a changed price is asked for with one press", () => {
  const { text, offer } = refuse("PRICE_CHANGED", { total: brl(36_000) }, { seatIds: ["A-1-1"], expectedTotal: brl(30_000) });
  assert.match(text, /360\.00/);
  assert.match(offer!.label, /Hold at .*360\.00/);
  assert.deepEqual(offer!.request, { seatIds: ["A-1-1"], expectedTotal: brl(36_000) });
});

test("what went wrong on our side is asked for again with one press, if something was asked for", () => {
  const asked = { bestAvailable: { quantity: 2 } };
  assert.deepEqual(refuse("INTERNAL", {}, asked).offer!.request, asked);
  assert.equal(refuse("INTERNAL").offer, undefined);
});

test("a seat left alone is named, and the neighbouring choice is offered", () => {
  const { text, seats, offer } = refuse("ORPHAN_SEAT", { seats: ["A-1-1"] }, { seatIds: ["A-1-2", "A-1-3"], expectedTotal: brl(20_000) });
  assert.match(text, /Section A, row 1, seat 1/);
  assert.equal(seats![0], 0);
  assert.equal(offer!.label, "Hold 1, 2 instead");
  assert.deepEqual(offer!.request, { seatIds: ["A-1-1", "A-1-2"], expectedTotal: brl(20_000) });
});

test("places of an area stay in the request when its seats move", () => {
  const asked = { seatIds: ["A-1-2"], areas: [{ section: "ST", quantity: 2 }], expectedTotal: brl(30_000) };
  assert.deepEqual(refuse("ORPHAN_SEAT", { seats: ["A-1-1"] }, asked).offer!.request, { ...asked, seatIds: ["A-1-1"] });
});

test("too few places of an area are counted", () => {
  assert.match(refuse("NO_SEATS", { reason: "quantity", section: "ST" }).text, /Standing has only 4 places left/);
});

test("what to loosen is one press away", () => {
  const asked = { bestAvailable: { quantity: 4, maxPrice: brl(100) } };
  assert.deepEqual(refuse("NO_SEATS", { reason: "price" }, asked).offer!.request, { bestAvailable: { quantity: 4, maxPrice: undefined, categories: undefined } });
  assert.deepEqual(refuse("NO_SEATS", { reason: "sections" }, asked).offer!.request, { bestAvailable: { ...asked.bestAvailable, sections: undefined } });
  assert.deepEqual(refuse("NO_SEATS", { reason: "quantity" }, asked).offer!.request, { bestAvailable: { quantity: 3, maxPrice: brl(100) } });
});

test("blocked seats leave the choice, kept ones can be asked for", () => {
  assert.deepEqual(refuse("SEAT_BLOCKED", { seats: ["A-1-3"], reason: "blocked" }).drop, [2]);
  const partner = refuse("SEAT_BLOCKED", { seats: ["A-1-3"], reason: "channel", releaseAt: "2026-12-01T12:00:00Z" });
  assert.match(partner.text, /partner.*seat 3.*From /);
  const kept = refuse("SEAT_BLOCKED", { seats: ["A-2-1"], reason: "accessible" }, { seatIds: ["A-2-1"] });
  assert.deepEqual([kept.drop, kept.offer!.need, kept.offer!.request], [undefined, true, { seatIds: ["A-2-1"], accessible: true }]);
});

test("a limit says how many were bought before", () => {
  assert.match(refuse("LIMIT_EXCEEDED", { limit: 6, have: 4 }).text, /at most 6 .* bought 4/);
});

test("SEAT_TAKEN without a list is survived", () => {
  assert.deepEqual(takenSeats(new Problem("SEAT_TAKEN", 409)), []);
  assert.deepEqual(takenSeats(new Problem("SEAT_TAKEN", 409, { seats: ["A-1-2"] })), ["A-1-2"]);
});

import { test } from "node:test";
import assert from "node:assert/strict";
import type { Order, Payment } from "../api/types.ts";
import { deadline, nextLook, payState } from "./pay-state.ts";

const at = (ms: number): string => new Date(ms).toISOString();
const payment = (more: Partial<Payment> = {}): Payment =>
  ({ attemptId: "a1", status: "PENDING", provider: "sandbox", actionUrl: "/sandbox/pay/1", reason: null, expiresAt: at(300_000), ...more });
const order = (more: Partial<Order> = {}): Order => ({
  orderId: "o", eventId: "e", event: { title: "T", venue: { name: "V", city: "C", country: "BR" }, startsAt: at(0), timeZone: "UTC" },
  status: "PENDING_PAYMENT", reason: null, currency: "BRL", total: { amount: 1, currency: "BRL" }, lines: [], payment: payment(),
  hold: { holdId: "h", state: "PAYING", expiresAt: at(330_000), hardExpiresAt: at(900_000) }, createdAt: at(0), ...more,
});

test("a fresh order prepares, then offers the payment page, then waits", () => {
  assert.equal(payState(order({ payment: null }), 0, null), "preparing");
  assert.equal(payState(order({ payment: payment({ actionUrl: null, status: "CREATED" }) }), 0, null), "preparing");
  assert.equal(payState(order(), 0, null), "continue");
  assert.equal(payState(order(), 0, "a1"), "waiting");
});

test("a second attempt is offered although the first was visited", () => {
  assert.equal(payState(order({ payment: payment({ attemptId: "a2" }) }), 0, "a1"), "continue");
});

test("after a decline one pays again while the hold lives", () => {
  const failed = order({ status: "FAILED", hold: { holdId: "h", state: "ACTIVE", expiresAt: at(1000), hardExpiresAt: at(2000) } });
  assert.equal(payState(failed, 999, null), "declined");
  assert.equal(payState(failed, 1000, null), "gone");
  assert.equal(payState({ ...failed, hold: null }, 0, null), "gone");
});

test("an unknown outcome is called slow, not failed", () => {
  assert.equal(payState(order({ payment: payment({ status: "UNKNOWN" }) }), 0, "a1"), "delayed");
});

test("ended and confirmed orders", () => {
  assert.equal(payState(order({ status: "EXPIRED" }), 0, null), "gone");
  assert.equal(payState(order({ status: "CANCELLED" }), 0, null), "gone");
  for (const status of ["CONFIRMED", "REVIEW", "REFUNDED"] as const) assert.equal(payState(order({ status }), 0, null), "order");
});

test("the deadline is the earlier of the provider's and the hold's", () => {
  assert.equal(deadline(order()), 300_000);
  assert.equal(deadline(order({ payment: null })), 330_000);
  assert.equal(deadline(order({ payment: null, hold: null })), null);
});

test("looking again slows down and ends with the story", () => {
  assert.equal(nextLook("waiting", 0, false), 750);
  assert.equal(nextLook("waiting", 100, false), 3000);
  assert.equal(nextLook("waiting", 0, true), 5000);
  assert.equal(nextLook("gone", 0, false), null);
});

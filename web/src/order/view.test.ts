import { test } from "node:test";
import assert from "node:assert/strict";
import { order, payment, refund, ticket } from "./sample-order.ts";
import { deadline, nextLook, standing, stuck, viewOf, why } from "./view.ts";

const at = (ms: number): string => new Date(ms).toISOString();

test("a fresh order prepares, then offers the payment page, then waits", () => {
  assert.equal(viewOf(order({ payment: null }), 0, null), "preparing");
  assert.equal(viewOf(order({ payment: payment({ actionUrl: null, status: "CREATED" }) }), 0, null), "preparing");
  assert.equal(viewOf(order(), 0, null), "continue");
  assert.equal(viewOf(order(), 0, "a1"), "waiting");
  assert.equal(viewOf(order({ payment: payment({ status: "CAPTURED", actionUrl: null }) }), 0, null), "waiting");
});

test("a second attempt is offered although the first was visited", () => {
  assert.equal(viewOf(order({ payment: payment({ attemptId: "a2" }) }), 0, "a1"), "continue");
});

test("after a decline one pays again while the hold lives, however old the attempt", () => {
  const failed = order({ status: "FAILED", payment: payment({ status: "DECLINED", expiresAt: at(10) }), hold: { holdId: "h", state: "ACTIVE", expiresAt: at(1000), hardExpiresAt: at(2000) } });
  assert.equal(viewOf(failed, 999, null), "declined");
  assert.equal(deadline(failed), 1000);
  assert.equal(viewOf(failed, 1000, null), "expired");
  assert.equal(viewOf({ ...failed, hold: null }, 0, null), "expired");
});

test("an unknown outcome is delayed, not failed; no provider at all is said as such", () => {
  assert.equal(viewOf(order({ payment: payment({ status: "UNKNOWN" }) }), 0, "a1"), "unknown");
  const down = order({ paymentDelayed: true, payment: payment({ expiresAt: at(10) }) });
  assert.equal(viewOf(down, 20, null), "delayed", "the hold is extended, so the attempt's time does not count");
  assert.equal(deadline(down), 330_000);
});

test("when the time is over the provider is asked before anything is called expired", () => {
  assert.equal(viewOf(order(), 300_000, "a1"), "closing");
  assert.equal(viewOf(order({ payment: payment({ status: "CAPTURED" }) }), 300_000, "a1"), "waiting");
});

test("a cancellation goes on until the provider agrees", () => {
  assert.equal(viewOf(order({ cancelling: true }), 0, "a1"), "cancelling");
  assert.equal(viewOf(order({ cancelling: true, status: "FAILED" }), 0, "a1"), "cancelling");
});

test("ended orders: without money, with money that came late, given back", () => {
  assert.equal(viewOf(order({ status: "EXPIRED" }), 0, null), "expired");
  assert.equal(viewOf(order({ status: "CANCELLED" }), 0, null), "cancelled");
  for (const status of ["EXPIRED", "CANCELLED", "FAILED"] as const) {
    assert.equal(viewOf(order({ status, hold: null, refunds: [refund()] }), 0, null), "late", status);
  }
  assert.equal(viewOf(order({ status: "CANCELLED", tickets: [ticket({ state: "VOID" })] }), 0, null), "returned");
});

test("paid orders", () => {
  assert.equal(viewOf(order({ status: "PARTLY_REFUNDED", tickets: [ticket({ state: "VOID" }), ticket()] }), 0, null), "partly");
  const gone = order({ status: "PARTLY_REFUNDED", tickets: [ticket({ state: "VOID" })], refunds: [refund({ status: "DONE", ticketIds: ["t1"] })] });
  assert.equal(viewOf(gone, 0, null), "returned", "nothing is left: it becomes REFUNDED, and the page waits for that");
  assert.ok(nextLook("returned", gone.refunds, 0, false));
  const views = { CONFIRMED: "confirmed", REFUNDED: "refunded", REVIEW: "review" } as const;
  for (const [status, view] of Object.entries(views)) assert.equal(viewOf(order({ status: status as keyof typeof views }), 0, null), view);
});

test("why money goes back", () => {
  assert.equal(why(order({ status: "CONFIRMED", tickets: [ticket()] }), refund({ ticketIds: ["t1"] })), "returned");
  assert.equal(why(order({ status: "CONFIRMED", tickets: [ticket()] }), refund()), "twice");
  assert.equal(why(order({ status: "EXPIRED" }), refund()), "late");
  assert.equal(why(order({ status: "REVIEW" }), refund()), "unsold");
});

test("the deadline is the earlier of the provider's and the hold's", () => {
  assert.equal(deadline(order()), 300_000);
  assert.equal(deadline(order({ payment: null })), 330_000);
  assert.equal(deadline(order({ payment: null, hold: null })), null);
});

test("looking again: within a second while a payment runs, slower later, and it ends with the story", () => {
  assert.ok(nextLook("waiting", [], 0, false)! < 1000);
  assert.equal(nextLook("waiting", [], 300, false), 2000);
  assert.equal(nextLook("waiting", [], 0, true), 5000);
  assert.ok(nextLook("expired", [], 0, false), "late money is told");
  assert.equal(nextLook("expired", [], 60, false), null);
  assert.equal(nextLook("confirmed", [], 0, false), null);
  assert.equal(nextLook("confirmed", [refund({ status: "DONE" }), refund({ status: "FAILED" })], 0, false), null);
  assert.equal(nextLook("confirmed", [refund()], 0, false), 2000, "a refund is followed");
  assert.equal(nextLook("partly", [refund({ status: "PENDING" })], 99, false), 10_000);
  assert.ok(nextLook("declined", [], 0, false), "another tab may pay");
});

test("what was bought has a receipt; what is unpaid or under review has a bill; the rest was never bought or is lost", () => {
  const of = { continue: "bill", declined: "bill", review: "bill", expired: "unsold", cancelled: "unsold", late: "lost", confirmed: "receipt", partly: "receipt", refunded: "receipt" } as const;
  for (const [view, want] of Object.entries(of)) assert.equal(standing(view as keyof typeof of), want, view);
});

test("money that failed to go back is not on its way", () => {
  assert.equal(stuck("returned", [refund({ status: "FAILED" })]), true);
  assert.equal(stuck("late", [refund({ status: "DONE" }), refund({ status: "FAILED" })]), true);
  assert.equal(stuck("returned", [refund({ status: "PENDING" })]), false);
  assert.equal(stuck("confirmed", [refund({ status: "FAILED" })]), false, "the second payment of an order that stands");
});

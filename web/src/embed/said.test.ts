import { test } from "node:test";
import assert from "node:assert/strict";
import type { Hold } from "../api/types.ts";
import { readToHost } from "./protocol.ts";
import { heldNews, requestOf } from "./said.ts";

const brl = { amount: 25_000, currency: "BRL" };

test("a choice is asked for as it is, and an empty part of it is not", () => {
  assert.deepEqual(requestOf({ type: "choose", seats: ["A-1"], areas: [], expectedTotal: brl, accessible: false }), { seatIds: ["A-1"], expectedTotal: brl });
  assert.deepEqual(requestOf({ type: "choose", seats: [], areas: [{ section: "P", quantity: 2 }], expectedTotal: brl, accessible: true }),
    { areas: [{ section: "P", quantity: 2 }], expectedTotal: brl, accessible: true });
  assert.deepEqual(requestOf({ type: "best", quantity: 2, maxPrice: brl }), { bestAvailable: { quantity: 2, maxPrice: brl } });
});

test("of a hold the host is told seats, sum and time, as the protocol has them, and nothing of one that is over", () => {
  const hold = {
    holdId: "h", eventId: "e", orderId: "o", state: "ACTIVE", seats: [{ seatId: "A-1", ordinal: 7, section: "A", row: "1", seat: "1", category: "c", price: brl }],
    expiresAt: "2026-07-02T20:00:00Z", hardExpiresAt: "2026-07-02T20:10:00Z", total: brl, net: brl, tax: brl, lines: [], serverTime: "2026-07-02T19:00:00Z",
  } as Hold;
  const news = { seats: [{ label: "A-1", ordinal: 7 }], total: brl, expiresAt: hold.expiresAt, state: "ACTIVE" };
  assert.deepEqual(heldNews(hold), news);
  assert.deepEqual(readToHost({ type: "hold", hold: heldNews(hold) }), { type: "hold", hold: news });
  assert.equal(heldNews({ ...hold, state: "CONVERTED" }), null);
  assert.equal(heldNews(null), null);
});

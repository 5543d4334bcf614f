import assert from "node:assert/strict";
import { test } from "node:test";
import { NoticeReader } from "./notices.ts";

const end = "2026-11-29T20:00:00Z";

test("reads every kind", () => {
  const r = new NoticeReader();
  assert.deepEqual(r.read(1, { state: "paused" }), { about: "event", state: "paused" });
  assert.deepEqual(r.read(2, { prices: [] }), { about: "prices" });
  assert.deepEqual(r.read(3, { holdId: "h", state: "ACTIVE", expiresAt: end, version: 4, more: 1 }),
    { about: "hold", id: "h", state: "ACTIVE", expiresAt: Date.parse(end) });
  assert.deepEqual(r.read(4, { orderId: "o", status: "CONFIRMED", version: 2 }), { about: "order", id: "o", state: "CONFIRMED" });
});

test("old news is none; an equal version and none at all are", () => {
  const r = new NoticeReader(), order = (version?: number) => r.read(4, { orderId: "o", status: "PENDING_PAYMENT", version });
  assert.ok(order(5));
  assert.ok(order(5));
  assert.equal(order(4), null);
  assert.ok(order());
  assert.equal(order(4), null);
  assert.ok(order(6));
  assert.ok(r.read(4, { orderId: "another", status: "FAILED", version: 1 }));
});

test("what is not understood is left alone", () => {
  const r = new NoticeReader();
  for (const [kind, body] of [[1, {}], [1, null], [3, { holdId: 7, state: "ACTIVE" }], [4, "text"], [4, { orderId: "o" }], [9, { state: "x" }]] as const) {
    assert.equal(r.read(kind, body), null);
  }
});

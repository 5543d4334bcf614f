import { test } from "node:test";
import assert from "node:assert/strict";
import { connect, PROTOCOL, readConnect, readToFrame, readToHost, type ToFrame, type ToHost } from "./protocol.ts";

const brl = { amount: 25_000, currency: "BRL" };

const FRAME: ToFrame[] = [
  { type: "choose", seats: ["101-A-7"], areas: [{ section: "Pista", quantity: 2 }], expectedTotal: brl, accessible: false },
  { type: "best", quantity: 2 },
  { type: "best", quantity: 4, sections: ["101"], maxPrice: brl, accessible: true },
  { type: "show" },
  { type: "show", categories: ["gold"], sections: ["101"], minPrice: 0, maxPrice: 90_000, accessible: true },
  { type: "theme", scheme: "dark", values: { accent: "#aa0011", paper: "rgb(10 20 30 / 0.5)", font: "\"Open Sans\", sans-serif", radius: "0.5rem" } },
  { type: "theme", titled: true }, { type: "open" }, { type: "close" },
];

const HOST: ToHost[] = [
  { type: "ready", protocol: 1 }, { type: "size", height: 640 }, { type: "stage", stage: "sign-in" },
  { type: "select", seats: [], total: { amount: 0, currency: "BRL" } },
  { type: "hold", hold: null },
  { type: "hold", hold: { seats: [{ label: "101-A-7", ordinal: 6 }], total: brl, expiresAt: "2026-07-02T20:00:00.123Z", state: "PAYING" } },
  { type: "order", status: "confirmed" }, { type: "checkout" }, { type: "lost", seats: ["101-A-7"] },
  { type: "error", code: "OFFLINE", text: "No connection" }, { type: "close" },
];

test("every message is read as it was sent, over a structured clone", () => {
  for (const m of FRAME) assert.deepEqual(readToFrame(structuredClone(m)), m);
  for (const m of HOST) assert.deepEqual(readToHost(structuredClone(m)), m);
});

test("neither side takes the other's messages, but for those that both have", () => {
  for (const m of FRAME) if (m.type !== "close") assert.equal(readToHost(m), null, m.type);
  for (const m of HOST) if (m.type !== "close") assert.equal(readToFrame(m), null, m.type);
});

test("what is not known is left out, what is wrong makes the message nothing", () => {
  assert.deepEqual(readToFrame({ type: "best", quantity: 2, token: "x", sections: undefined }), { type: "best", quantity: 2 });
  const bad: unknown[] = [
    null, undefined, 7, "close", [], [{ type: "close" }], {}, { type: 1 }, { type: "toString" }, { type: "__proto__" }, { type: "constructor" }, { type: "later" },
    { type: "best" }, { type: "best", quantity: 0 }, { type: "best", quantity: 1.5 }, { type: "best", quantity: "2" }, { type: "best", quantity: 1e9 }, { type: "best", quantity: NaN },
    { type: "best", quantity: 2, accessible: "yes" }, { type: "best", quantity: 2, maxPrice: 5 }, { type: "best", quantity: 2, maxPrice: { amount: -1, currency: "BRL" } },
    { type: "best", quantity: 2, maxPrice: { amount: 1, currency: "brl" } }, { type: "best", quantity: 2, sections: [""] }, { type: "best", quantity: 2, sections: ["x".repeat(65)] },
    { type: "choose", seats: ["a"], areas: [], expectedTotal: brl }, { type: "choose", seats: [1], areas: [], expectedTotal: brl, accessible: false },
    { type: "choose", seats: Array(101).fill("a"), areas: [], expectedTotal: brl, accessible: false },
    { type: "choose", seats: new Array(3), areas: [], expectedTotal: brl, accessible: false },
    { type: "choose", seats: { length: 1, 0: "a" }, areas: [], expectedTotal: brl, accessible: false },
    { type: "show", sections: Array(501).fill("a") }, { type: "show", maxPrice: "9" }, { type: "theme", scheme: "sepia" }, { type: "theme", titled: "yes" },
  ];
  for (const m of bad) assert.equal(readToFrame(m), null, JSON.stringify(m));
});

test("a theme brings no address, no second property and no odd names", () => {
  const values = [{ accent: "url(https://evil.example/a)" }, { accent: "red; position: fixed" }, { accent: "URL (x)" }, { accent: "image-set('x' 1x)" }, { accent: "x-rgb(1 2 3)" }, { accent: "var(--x)" }, { accent: "red}" },
    { accent: "\\75rl(x)" }, { accent: "" }, { accent: "x".repeat(121) }, { "Accent": "red" }, { "a b": "red" }, { accent: 3 },
    Object.fromEntries(Array.from({ length: 41 }, (_, i) => [`a${i}`, "red"]))];
  for (const v of values) assert.equal(readToFrame({ type: "theme", values: v }), null, JSON.stringify(v).slice(0, 80));
});

test("a hold tells of no order and no account, whatever the sender has put in it", () => {
  const hold = { holdId: "h", orderId: "o", account: { email: "x@example.com" }, seats: [{ label: "a", ordinal: 1, price: brl }], total: brl, expiresAt: "2026-07-02T20:00:00Z", state: "ACTIVE" };
  assert.deepEqual(readToHost({ type: "hold", hold }), { type: "hold", hold: { seats: [{ label: "a", ordinal: 1 }], total: brl, expiresAt: hold.expiresAt, state: "ACTIVE" } });
  for (const wrong of [{ ...hold, state: "EXPIRED" }, { ...hold, expiresAt: "tomorrow" }, { ...hold, expiresAt: "2026-99-02T20:00:00Z" }, { ...hold, total: 5 }, undefined]) {
    assert.equal(readToHost({ type: "hold", hold: wrong }), null);
  }
});

test("connecting names a version, and nothing else connects", () => {
  assert.equal(readConnect(structuredClone(connect)), PROTOCOL);
  assert.equal(readConnect({ plateia: 2, type: "connect", more: true }), 2);
  for (const m of [null, "connect", { type: "connect" }, { plateia: "1", type: "connect" }, { plateia: 0, type: "connect" }, { plateia: 1.5, type: "connect" }, { plateia: 1, type: "close" }, [connect]]) {
    assert.equal(readConnect(m), null);
  }
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { fan, line, OPENS } from "./fake-line.ts";
import { chance, type Facts, rounded, viewOf, waitOf } from "./view.ts";

const facts = (more: Partial<Facts> = {}): Facts => ({
  now: OPENS + 60_000, signedIn: true, inside: false, event: "on_sale", onSaleAt: OPENS, document: line(), ticket: fan(), doing: "nothing", ...more,
});
const name = (more: Partial<Facts>): string => viewOf(facts(more)).name;

test("a fan walks from the door over the draw to the turn", () => {
  const before = line({ phase: "before", seed: null }), now = OPENS - 60_000;
  assert.equal(name({ event: null, document: null, signedIn: false, ticket: null }), "loading");
  assert.equal(name({ event: "scheduled", document: before, now, signedIn: false, ticket: null }), "sign-in");
  assert.deepEqual(viewOf(facts({ event: "scheduled", document: before, now, ticket: null })), { name: "invite", late: false });
  assert.equal(name({ event: "scheduled", document: before, now, ticket: null, doing: "entering" }), "entering");
  assert.equal(name({ event: "scheduled", document: before, now }), "entered");
  assert.equal(name({ document: before }), "draw", "the sale has opened, the document does not say so yet");
  assert.equal(name({ document: line({ phase: "draw", seed: null }) }), "draw");
  assert.equal(name({ ticket: fan({ rank: "" }) }), "loading", "the rank is being computed");
  assert.equal(name({}), "place");
  assert.equal(name({ ticket: fan({ rank: "1000000000000000" }) }), "turn");
  assert.equal(name({ ticket: fan({ rank: "1000000000000000" }), doing: "claiming" }), "claiming");
  assert.equal(name({ inside: true }), "inside");
});

test("the way done is measured from the own place after the draw", () => {
  const view = viewOf(facts());
  assert.ok(view.name === "place" && Math.abs(view.place.ahead - 375) < 1e-6 && Math.abs(view.done - 0.25) < 1e-6);
});

test("a pause says so at every place, and keeps an open window", () => {
  const paused = line({ phase: "paused", pausedSince: OPENS + 60_000 });
  assert.deepEqual(viewOf(facts({ document: paused })).name, "paused");
  const view = viewOf(facts({ document: paused, ticket: fan({ rank: "1000000000000000" }), now: OPENS + 3_600_000 }));
  assert.ok(view.name === "paused" && view.left === 600_000, "no clock runs");
});

test("a turn that has passed, a new epoch, the end, another device", () => {
  const passed = line({ history: [{ time: OPENS, paused: 0, frontiers: line().frontiers }] });
  assert.equal(name({ document: passed, ticket: fan({ rank: "1000000000000000" }), now: OPENS + 700_000 }), "missed");
  assert.equal(name({ document: line({ epoch: 2 }) }), "restarted");
  assert.equal(name({ ticket: fan({ epoch: 2 }) }), "loading", "the document is older than the ticket");
  assert.deepEqual(viewOf(facts({ document: line({ phase: "soldout" }) })), { name: "closed", why: "soldout" });
  assert.deepEqual(viewOf(facts({ event: "cancelled", document: null, signedIn: false })), { name: "closed", why: "cancelled" });
  assert.equal(name({ doing: "elsewhere" }), "elsewhere");
});

test("a full shop leaves the fan at the door, with the clock running", () => {
  const view = viewOf(facts({ ticket: fan({ rank: "1000000000000000" }), doing: "moment" }));
  assert.ok(view.name === "turn" && view.moment && view.left === 600_000);
});

test("no count claims more than is known", () => {
  assert.equal(rounded(12_345.6, 0), 12_346);
  assert.equal(rounded(12_345, 60), 12_300);
  assert.equal(rounded(52_345_678, 1118), 52_346_000);
});

test("the chance is a lower bound, and 1 only when there are seats for all", () => {
  assert.equal(chance(0, 100, 4), 0);
  assert.equal(chance(100, 100, 4), 0.25);
  assert.equal(chance(20, 100, 4), 1);
  assert.equal(chance(26, 100, 4) < 1, true);
});

test("before the line has a history its rate says how long it takes", () => {
  const p = { ahead: 300, standardError: 1, low: 0, high: 0 };
  assert.equal(waitOf(line(), p), 0);
  assert.equal(waitOf(line({ rate: { perSecond: 5, low: 3, high: 6 } }), p), 50_000);
  assert.equal(waitOf(line(), { ...p, low: 9 }), 9000);
});

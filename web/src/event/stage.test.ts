import { test } from "node:test";
import assert from "node:assert/strict";
import { stageOf } from "./stage.ts";

const nobody = { session: false, access: false, hold: false };

test("a fan walks from signing in through the line to the seats", () => {
  assert.equal(stageOf("on_sale", nobody), "sign-in");
  assert.equal(stageOf("on_sale", { ...nobody, session: true }), "line");
  assert.equal(stageOf("on_sale", { ...nobody, session: true, access: true }), "shop");
});

test("a live hold is enough to go on, also when sales are paused or closed", () => {
  for (const state of ["on_sale", "paused", "closed", "scheduled"] as const) {
    assert.equal(stageOf(state, { session: true, access: false, hold: true }), "shop", state);
  }
  assert.equal(stageOf("cancelled", { session: true, access: true, hold: true }), "cancelled");
});

test("before the sale everybody is shown the way to the draw", () => {
  assert.equal(stageOf("scheduled", nobody), "soon");
  assert.equal(stageOf("scheduled", { ...nobody, session: true }), "soon");
});

test("paused and closed are said to everybody", () => {
  assert.equal(stageOf("paused", nobody), "paused");
  assert.equal(stageOf("closed", { session: true, access: true, hold: false }), "closed");
});

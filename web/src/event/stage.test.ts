import { test } from "node:test";
import assert from "node:assert/strict";
import { stageOf } from "./stage.ts";

const nobody = { session: false, access: false, hold: false, soldOut: false };

test("a fan walks from signing in through the line to the seats", () => {
  assert.equal(stageOf("on_sale", nobody), "sign-in");
  assert.equal(stageOf("on_sale", { ...nobody, session: true }), "line");
  assert.equal(stageOf("on_sale", { ...nobody, session: true, access: true }), "shop");
});

test("a live hold is enough to go on, also when sales are paused or closed", () => {
  for (const state of ["on_sale", "paused", "closed", "scheduled"] as const) {
    assert.equal(stageOf(state, { ...nobody, session: true, hold: true }), "shop", state);
  }
  assert.equal(stageOf("cancelled", { ...nobody, session: true, access: true, hold: true }), "cancelled");
});

test("before the sale everybody is shown the way to the draw", () => {
  assert.equal(stageOf("scheduled", nobody), "soon");
  assert.equal(stageOf("scheduled", { ...nobody, session: true }), "soon");
});

test("sold out is said before anybody signs in for nothing; who is inside or holds seats stays", () => {
  const late = { ...nobody, soldOut: true };
  assert.equal(stageOf("on_sale", late), "sold-out");
  assert.equal(stageOf("on_sale", { ...late, session: true }), "sold-out");
  assert.equal(stageOf("on_sale", { ...late, session: true, access: true }), "shop");
  assert.equal(stageOf("on_sale", { ...late, session: true, hold: true }), "shop");
  assert.equal(stageOf("paused", late), "paused");
});

test("paused and closed are said to everybody", () => {
  assert.equal(stageOf("paused", nobody), "paused");
  assert.equal(stageOf("closed", { ...nobody, session: true, access: true }), "closed");
});

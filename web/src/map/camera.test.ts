import { test } from "node:test";
import assert from "node:assert/strict";
import { between, clamp, fit, pan, toChart, toScreenX, toScreenY, visible, zoomAt } from "./camera.ts";

const bounds = { x0: -100, y0: -50, x1: 100, y1: 50 };
const view = { w: 800, h: 600 };
const limits = { min: 0.5, max: 100, bounds };

test("fit shows the whole box inside the margin", () => {
  const c = fit(bounds, view, 20);
  assert.ok(toScreenX(c, view, -100) >= 20 - 1e-9 && toScreenX(c, view, 100) <= 780 + 1e-9);
  assert.ok(toScreenY(c, view, -50) >= 20 && toScreenY(c, view, 50) <= 580);
});

test("fit of a view without size stays finite (case 26)", () => {
  const c = fit(bounds, { w: 0, h: 0 }, 20);
  assert.ok(Number.isFinite(c.scale) && c.scale > 0);
});

test("zooming keeps the point under the finger", () => {
  const c = { x: 3, y: 4, scale: 4 };
  const before = toChart(c, view, 500, 200);
  const after = toChart(zoomAt(c, view, 500, 200, 2.5, limits), view, 500, 200);
  assert.ok(Math.hypot(after.x - before.x, after.y - before.y) < 1e-9);
});

test("zoom stops at its limits and the middle stays in the venue", () => {
  assert.equal(zoomAt({ x: 0, y: 0, scale: 4 }, view, 0, 0, 1000, limits).scale, 100);
  assert.equal(zoomAt({ x: 0, y: 0, scale: 4 }, view, 0, 0, 1e-6, limits).scale, 0.5);
  assert.equal(pan({ x: 0, y: 0, scale: 1 }, 1e6, 0, limits).x, -100);
  assert.deepEqual(clamp({ x: 1e9, y: -1e9, scale: 1 }, limits), { x: 100, y: -50, scale: 1 });
});

test("visible is the inverse of the screen", () => {
  const c = { x: 10, y: 5, scale: 2 };
  assert.deepEqual(visible(c, view), { x0: -190, y0: -145, x1: 210, y1: 155 });
});

test("a flight starts and ends where it should", () => {
  const a = { x: 0, y: 0, scale: 1 }, b = { x: 50, y: 20, scale: 30 };
  assert.deepEqual(between(a, b, 0), a);
  const end = between(a, b, 1);
  assert.ok(Math.abs(end.x - 50) < 1e-9 && Math.abs(end.scale - 30) < 1e-9);
});

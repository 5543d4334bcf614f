import { test } from "node:test";
import assert from "node:assert/strict";
import { eyeOf, groundOf, Projection } from "./perspective.ts";
import { bowl } from "./sample-chart.ts";

const chart = bowl(3, 8, 10, 10);

test("who sits further away sits higher, and the stage is level", () => {
  const ground = groundOf(chart);
  assert.equal(ground(0, 0), 0);
  assert.ok(eyeOf(chart, 20).at.z > eyeOf(chart, 4).at.z);
});

test("the stage is in the middle, what is left of it is left, what is higher is higher", () => {
  for (const section of [0, 2, 5, 7, 12, 20]) {
    const eye = eyeOf(chart, section), see = new Projection(eye, 800, 450);
    const [x, y, depth] = see.place(eye.to);
    assert.ok(Math.abs(x - 400) < 1e-6 && depth > 0);
    assert.ok(see.place({ ...eye.to, z: eye.to.z + 1 })[1] < y);
    // on a plan with y downwards: whoever looks along (dx, dy) has (-dy, dx) on their right
    const dx = eye.to.x - eye.at.x, dy = eye.to.y - eye.at.y;
    assert.ok(see.place({ x: eye.to.x - dy * 0.1, y: eye.to.y + dx * 0.1, z: 0 })[0] > x, `section ${section}`);
  }
});

test("what is behind the eye is cut off", () => {
  const eye = eyeOf(chart, 0), see = new Projection(eye, 800, 450);
  const back = { x: 2 * eye.at.x - eye.to.x, y: 2 * eye.at.y - eye.to.y, z: 0 };
  assert.deepEqual(see.outline([back, { ...back, x: back.x + 1 }, { ...back, y: back.y + 1 }]), []);
  const through = see.outline([back, { ...eye.to, x: eye.to.x + 1 }, eye.to]);
  assert.ok(through.length >= 3 && through.flat().every(Number.isFinite));
});

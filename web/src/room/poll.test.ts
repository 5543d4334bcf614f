import { test } from "node:test";
import assert from "node:assert/strict";
import { line, OPENS } from "./fake-line.ts";
import { nextLook } from "./poll.ts";

const at = { document: line(), now: OPENS + 60_000, wait: 0, failures: 0, near: false };

test("it never gives up: tries that fail come slower, up to half a minute apart (case 6)", () => {
  const waits = Array.from({ length: 50 }, (_, i) => nextLook({ ...at, failures: i + 1 }, 0.5));
  assert.deepEqual(waits.slice(0, 6), [1000, 2000, 4000, 8000, 16_000, 30_000]);
  assert.equal(waits[49], 30_000);
});

test("the nearer the turn the sooner, within what the document allows", () => {
  assert.equal(nextLook({ ...at, wait: 3_600_000 }, 0.5), 60_000);
  assert.equal(nextLook({ ...at, wait: 200_000 }, 0.5), 10_000);
  assert.equal(nextLook({ ...at, near: true }, 0.5), 2000);
  assert.equal(nextLook({ ...at, document: line({ phase: "draw", seed: null }) }, 0.5), 2000);
});

test("a crowd that waits for one moment does not come at one moment", () => {
  const waiting = { ...at, document: line({ phase: "before", seed: null }), now: OPENS - 30_000 };
  assert.ok(nextLook(waiting, 0.5) < 30_000, "it looks before as well");
  const last = { ...waiting, now: OPENS - 1000 };
  const [first, mean, latest] = [0, 0.5, 1].map((r) => nextLook(last, r));
  assert.ok(first! >= 1500 && mean! < 3000 && latest! < 5000 && latest! - first! > 500, `${first}, ${mean}, ${latest}`);
  assert.ok(nextLook(at, 1) / nextLook(at, 0) > 1.3, "every wait is spread");
});

test("without a document it asks as if somebody were near", () => {
  assert.equal(nextLook({ ...at, document: null, near: true }, 0.5), 2000);
  assert.equal(nextLook({ ...at, document: null }, 0.5), 30_000);
});

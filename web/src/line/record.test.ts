import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Signed } from "../room/chain.ts";
import { type DrawRecord, readDraw } from "./record.ts";

const { keys, draws } = JSON.parse(readFileSync("../waitingroom/frontier/testdata/vectors.json", "utf8")) as {
  keys: DrawRecord["keys"]; draws: { statements: Signed[]; good: boolean }[];
};
const whole = draws.find((d) => d.good)!.statements, EPOCH = 2;

/** The list as caches give it away: short ones first. Answers what was asked, and how long was waited. */
async function read(...lists: Signed[][]) {
  const asked: boolean[] = [];
  let waited = 0;
  const draw = await readDraw(EPOCH, async (fresh) => {
    asked.push(fresh);
    return { keys, statements: lists[Math.min(asked.length, lists.length) - 1]! };
  }, async (ms) => (waited += ms));
  return { draw, asked, waited };
}

test("a list from before the draw is asked for again, past the browser's cache, until it has what was revealed", async () => {
  const short = whole.slice(0, -1), { draw, asked, waited } = await read(short, short, whole);
  assert.ok(draw.reveal && draw.seed);
  assert.deepEqual(asked, [false, true, true]);
  assert.ok(waited >= 2000);
});

test("a whole list is asked for once", async () => {
  assert.deepEqual((await read(whole)).asked, [false]);
});

test("what stays too short is shown as it is, and nothing of the epoch is a failure", async () => {
  const { draw, asked } = await read(whole.slice(0, -1));
  assert.equal(draw.reveal, null);
  assert.ok(asked.length > 1 && asked.length < 20);
  await assert.rejects(read([]));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { connected, delta, helloAt, snapshot, type World } from "./fake-world.ts";

const TEN_MINUTES = 600_000;

/** Wakes after ten minutes in which no timer ran, with or without the page being told. */
const wakes: [string, (w: World) => Promise<void>][] = [
  ["the page is shown again", async (w) => {
    w.sleep(TEN_MINUTES);
    w.set({ hidden: false });
  }],
  ["only the clock tells", async (w) => {
    w.sleep(TEN_MINUTES);
    await w.pass(10_000);
  }],
];

for (const [how, wake] of wakes) {
  test(`case 24: asleep for ten minutes: does not call its map live, and goes on from its position (${how})`, async () => {
    const { world, take } = connected();
    await world.pass(5_000);
    await wake(world);
    assert.deepEqual(take(), ["reconnecting"]);
    assert.equal(world.sockets.length, 2);
    assert.ok(world.sockets[0].closed, "the old socket may hang for minutes");
    world.sockets[0].give(delta(10, 1, 0x03)); // what it still had
    world.last.open();
    assert.deepEqual(world.last.sent, [helloAt(10)]);
    world.last.give(delta(10, 90, 0x02));
    assert.deepEqual(take(), ["delta 0=2", "live"]);
  });

  test(`case 24: asleep for ten minutes: takes a snapshot when the gateway cannot resume (${how})`, async () => {
    const { world, take } = connected();
    await wake(world);
    world.last.open();
    world.last.give(snapshot(100, "aa"), delta(100, 1, 0x01));
    assert.deepEqual(take(), ["reconnecting", "map 2222", "live", "delta 0=1"]);
  });
}

test("case 24: without a network after the sleep the map is not called live", async () => {
  const { world, take } = connected();
  world.sleep(TEN_MINUTES);
  world.set({ hidden: false });
  world.last.end();
  await world.pass(1_000);
  world.last.end();
  world.answers = Array.from({ length: 9 }, () => () => new Response("", { status: 503 }));
  await world.pass(8_000);
  const said = take();
  assert.deepEqual([said.includes("live"), said.at(-1)], [false, "offline"]);
});

test("a clock that jumps a little, or timers that are late, do no harm", async () => {
  const { world, take } = connected();
  world.sleep(15_000);
  await world.pass(60_000);
  assert.equal(world.sockets.length, 1);
  assert.deepEqual(take(), []);
});

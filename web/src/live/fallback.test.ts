import assert from "node:assert/strict";
import { test } from "node:test";
import { connected, settle, snapshot, start } from "./fake-world.ts";
import { fallback, type Fallback } from "./fallback.ts";

/** A fallback that has to be fetched: how often it was asked for, and what answers the last time. */
function fetched() {
  let come!: (f: Fallback) => void, fail!: (e: unknown) => void;
  const asked = { times: 0, come: () => come(fallback), fail: () => fail(new Error("not there")) };
  return { asked, ask: () => (asked.times++, new Promise<Fallback>((done, failed) => ((come = done), (fail = failed)))) };
}

test("what is left without sockets is not asked for while they work", async () => {
  const { asked, ask } = fetched(), { world } = connected({ fallback: ask });
  world.last.end();
  await world.pass(1_000);
  world.last.open();
  world.last.give(snapshot(11));
  await world.pass(60_000);
  assert.equal(asked.times, 0);
});

test("when sockets fail it is asked for once, polls and takes events", async () => {
  const { asked, ask } = fetched(), { world, take } = start({ fallback: ask });
  world.streamsWork = true;
  for (let i = 0; i < 3; i++) {
    world.last.end();
    await world.pass(3_000);
  }
  assert.deepEqual([asked.times, world.polls, world.streams.length], [1, 0, 0]);
  assert.deepEqual(take(), ["connecting", "reconnecting"]);
  asked.come();
  await settle();
  await settle();
  assert.deepEqual(take(), ["map 2222", "free 0", "polling"]);
  world.last.end();
  await world.pass(10_000);
  assert.equal(world.streams.length, 1);
});

test("one that does not come is asked for again; nothing of it comes after the end", async () => {
  const { asked, ask } = fetched(), { world, live, take } = start({ fallback: ask });
  for (let i = 0; i < 2; i++) {
    world.last.end();
    await world.pass(2_000);
  }
  asked.fail();
  await settle();
  assert.equal(take().at(-1), "offline");
  world.last.end();
  await world.pass(5_000);
  assert.equal(asked.times, 2);
  live.close();
  asked.come();
  await settle();
  assert.deepEqual([world.polls, world.timers], [0, 0]);
});

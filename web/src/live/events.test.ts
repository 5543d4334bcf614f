import assert from "node:assert/strict";
import { test } from "node:test";
import { bye, delta, frame, helloAt, settle, snapshot, start } from "./fake-world.ts";
import type { LiveOptions } from "./options.ts";
import { eventData } from "./event-link.ts";

/** A network that lets no WebSocket through: the page has moved down to events. */
async function below(o: Partial<LiveOptions> = {}) {
  const all = start(o);
  const { world } = all;
  world.streamsWork = true;
  world.last.end();
  await world.pass(1_000);
  world.last.end();
  await world.pass(2_000);
  assert.equal(world.streams.length, 1);
  return all;
}

/** … and shows its first map. */
async function following(o: Partial<LiveOptions> = {}) {
  const all = await below(o);
  all.world.stream.open();
  await all.world.stream.give(snapshot(10));
  all.take();
  return all;
}

test("takes events where no socket opens, with the token in a header", async () => {
  const { world, take } = await below({ token: "secret", view: [1, 3] });
  assert.deepEqual(take(), ["connecting", "reconnecting", "map 2222", "free 0", "polling"]);
  assert.equal(world.stream.address, "/live?view=1.3&deflate=1");
  assert.deepEqual(world.stream.headers, { Accept: "text/event-stream", Authorization: "Bearer secret" });
  world.stream.open();
  await world.stream.give(snapshot(10), delta(10, 2, 0x01), frame("notice, my order"));
  assert.deepEqual(take().slice(0, 3), ["map 0123", "live by events", "delta 0=1"]);
  const { polls } = world;
  await world.pass(30_000);
  assert.equal(world.polls, polls, "polls beside a live connection");
});

test("goes on from its position when the stream breaks", async () => {
  const { world, take } = await following();
  await world.stream.end();
  await world.pass(1_000);
  assert.equal(world.streams.length, 2);
  assert.equal(world.stream.headers["Last-Event-ID"], "1.9.10");
  world.stream.open();
  await world.stream.give(delta(10, 1, 0x01));
  assert.deepEqual(take(), ["reconnecting", "delta 0=1", "live by events"]);
});

test("a poll's late answer does not disturb a link that goes on from a position", async () => {
  const { world, take } = await following();
  let answer!: (r: Response) => void;
  world.answers = [() => new Promise((done) => (answer = done))];
  await world.stream.end();
  while (world.last.closed) {
    world.stream.refuse(503);
    await world.pass(500);
  }
  world.last.open();
  assert.deepEqual(world.last.sent, [helloAt(10)]);
  answer(Response.json({ seatsBitmap: "qg==", sections: [] }));
  await settle();
  world.last.give(delta(10, 1, 0x01));
  assert.deepEqual(take(), ["reconnecting", "delta 0=1", "live"]);
});

test("moves up by itself, unseen: the socket goes on from what is shown", async () => {
  const { world, take } = await following();
  const { length } = world.sockets;
  await world.pass(61_000);
  assert.equal(world.sockets.length, length + 1);
  world.last.open();
  assert.deepEqual(world.last.sent, [helloAt(10)]);
  await world.stream.give(delta(10, 2, 0x01)); // events still come
  world.last.give(delta(10, 3, 0x02));
  assert.deepEqual(take(), ["delta 0=1", "delta 0=2", "live"]);
  assert.ok(world.stream.closed);
  world.last.give(delta(13, 1, 0x00));
  assert.deepEqual(take(), ["delta 0=0"]);
});

test("a socket that does not open beside the events changes nothing, and is tried less and less", async () => {
  const { world, take } = await following();
  const before = world.sockets.length;
  for (let minute = 0; minute < 60; minute++) {
    await world.pass(60_000);
    await world.stream.give(delta(10, 0, 0)); // a sign of life
    if (!world.last.closed) world.last.end();
  }
  assert.deepEqual(take(), []);
  const tries = world.sockets.length - before;
  assert.ok(tries >= 6 && tries <= 12, `${tries} tries in an hour`);
});

test("what a socket beside the events says against it leaves the events alone", async () => {
  const { world, take } = await following();
  await world.pass(61_000);
  world.last.open();
  world.last.give(bye(9, 0, 0));
  assert.ok(world.last.closed);
  await world.stream.give(delta(10, 1, 0x01));
  assert.deepEqual(take(), ["delta 0=1"]);
});

test("remembers what worked", async () => {
  const { world } = start({ first: "events" });
  assert.deepEqual([world.sockets.length, world.streams.length], [0, 1]);
});

test("a hidden page lets its stream go soon, and is back at once", async () => {
  const { world, take } = await following();
  world.set({ hidden: true });
  await world.pass(11_000);
  assert.ok(world.stream.closed);
  await world.pass(100_000);
  assert.equal(world.streams.length, 1);
  world.set({ hidden: false });
  assert.equal(world.stream.headers["Last-Event-ID"], "1.9.10");
  world.stream.open();
  await world.stream.give(delta(10, 4, 0x02));
  assert.deepEqual(take(), ["delta 0=2"]);
});

test("another view is another stream", async () => {
  const { world, live, take } = await following();
  live.setView([2]);
  assert.equal(world.streams.length, 2);
  assert.ok(world.streams[0].closed);
  assert.equal(world.stream.address, "/live?view=2&deflate=1");
  assert.equal(world.stream.headers["Last-Event-ID"], undefined);
  assert.deepEqual(take(), []);
});

test("byes in a stream mean what they mean on a socket", async () => {
  const { world, take } = await following();
  await world.stream.give(bye(2, 0, 100), delta(10, 1, 0x01));
  assert.deepEqual(take(), ["delta 0=1"]);
  await world.pass(60);
  assert.equal(world.stream.headers["Last-Event-ID"], "1.9.11");
  world.stream.open();
  await world.stream.give(bye(12, 0, 0));
  assert.ok(take().includes("refused 12"));
  assert.ok(world.stream.closed);
});

test("refusals before the stream: the token is not sent again, a wait is kept", async () => {
  const { world } = await below({ token: "old" });
  world.stream.refuse(401);
  await settle();
  while (world.streams.length < 2) {
    if (!world.last.closed) world.last.end();
    await world.pass(1_000);
  }
  assert.equal(world.stream.headers.Authorization, undefined);
  const from = world.time, attempts = world.sockets.length;
  world.stream.refuse(429, { "Retry-After": "60" });
  await world.pass(59_000);
  assert.equal(world.sockets.length, attempts);
  while (world.sockets.length === attempts) await world.pass(1_000);
  assert.ok(world.time - from < 120_000);
});

test("an answer that is no stream, and one that never begins, are failures", async () => {
  const { world } = await below();
  world.stream.refuse(200);
  await world.pass(20_000);
  assert.ok(world.sockets.length >= 3);
  while (world.streams.length < 2) {
    if (!world.last.closed) world.last.end();
    await world.pass(1_000);
  }
  await world.pass(10_500);
  assert.ok(world.stream.closed);
});

test("pieces of any size make the same events; other lines are ignored; an endless one is refused", async () => {
  const whole = ": comment\nid: 1.2.3\nretry: 5\ndata: QUJD\r\n\r\n\ndata:REVG\ndata: R0g=\n\nevent: x\n\ndata: cut";
  for (const size of [1, 2, 7, 1000]) {
    const bytes = new TextEncoder().encode(whole), seen: string[] = [];
    const body = new ReadableStream<Uint8Array>({ start(c) {
      for (let i = 0; i < bytes.length; i += size) c.enqueue(bytes.subarray(i, i + size));
      c.close();
    } });
    for await (const data of eventData(body)) seen.push(data);
    assert.deepEqual(seen, ["QUJD", "REVGR0g="], `pieces of ${size}`);
  }
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (c) => c.enqueue(new Uint8Array(1_000_000).fill(65)),
    cancel: () => void (cancelled = true),
  });
  await assert.rejects(async () => { for await (const _ of eventData(endless)); }, /too long/);
  assert.ok(cancelled);
});

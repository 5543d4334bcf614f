import assert from "node:assert/strict";
import { test } from "node:test";
import { buffer, bye, byte, connected, delta, event, frame, helloAt, helloWithoutPosition, settle, snapshot, start, unavailable } from "./fake-world.ts";

test("connects, says hello, shows and follows", () => {
  const { world, take } = start();
  assert.deepEqual(take(), ["connecting"]);
  world.last.open();
  assert.deepEqual(world.last.sent, [helloWithoutPosition]);
  world.last.give(snapshot(10), delta(10, 2, 0x01), frame("notice, my order"), frame("summary"));
  assert.deepEqual(take(), [
    "map 0123", "live", "delta 0=1",
    `notice 4 {"orderId":"${event}","status":"CONFIRMED"}`, "free 0 1 128 60000",
  ]);
});

test("resumes by position after a break", async () => {
  const { world, take } = connected();
  world.last.give(delta(10, 2, 0x01));
  world.last.end();
  assert.deepEqual(take(), ["delta 0=1", "reconnecting"]);
  await world.pass(1_000);
  assert.equal(world.sockets.length, 2);
  world.last.open();
  assert.deepEqual(world.last.sent, [helloAt(12)]);
  world.last.give(delta(12, 3, 0x02));
  assert.deepEqual(take(), ["delta 0=2", "live"]);
});

test("a gap that does not fill, and a malformed frame, lead to a snapshot", async () => {
  const { world, take } = connected();
  world.last.give(delta(20, 1, 0x01));
  await world.pass(900);
  assert.equal(world.sockets.length, 1);
  await world.pass(2_000);
  assert.equal(world.sockets.length, 2);
  world.last.open();
  assert.deepEqual(world.last.sent, [helloWithoutPosition]);
  world.last.give(snapshot(30, "00"), buffer("19ff"));
  await world.pass(3_000);
  assert.equal(world.sockets.length, 3);
  world.last.open();
  assert.deepEqual(world.last.sent, [helloWithoutPosition]);
  assert.deepEqual(take(), ["reconnecting", "map 0000", "live", "reconnecting"]);
});

test("silence is a lost connection", async () => {
  const { world } = connected();
  await world.pass(74_000);
  world.last.give(delta(10, 0, 0));
  await world.pass(74_000);
  assert.equal(world.sockets.length, 1);
  await world.pass(3_000);
  assert.equal(world.sockets.length, 2);
  assert.ok(world.sockets[0].closed);
});

test("polls while the socket fails, and moves up again by itself", async () => {
  const { world, take } = start();
  world.last.end();
  await world.pass(1_000);
  world.last.end();
  assert.deepEqual(take(), ["connecting", "reconnecting"]);
  await settle();
  assert.deepEqual(take(), ["map 2222", "free 0", "polling"]);
  world.answers = [unavailable];
  await world.pass(3_000);
  assert.deepEqual(take(), ["offline"]);
  await world.pass(20_000);
  assert.ok(world.polls > 3);
  assert.deepEqual(take().filter((line) => !line.includes(" ")), ["polling"]);
  assert.ok(world.sockets.length >= 3 && world.streams.length >= 2, "gave up");
  while (world.last.closed) await world.pass(1_000);
  world.last.open();
  assert.deepEqual(world.last.sent, [helloWithoutPosition], "a polled map has no position");
  world.last.give(snapshot(10));
  const polls = world.polls;
  await world.pass(20_000);
  assert.equal(world.polls, polls, "polls beside a live connection");
  assert.equal(take().at(-1), "live");
});

test("never gives up while visible: back-off with a cap", async () => {
  const { world } = start({ pollUrl: undefined });
  for (let i = 0; i < 40; i++) {
    world.last.end();
    await world.pass(30_000);
  }
  const attempts = world.sockets.length + world.streams.length;
  assert.ok(attempts > 40, `${attempts} attempts in 20 minutes`);
  assert.ok(world.sockets.length > 15 && world.streams.length > 15, "only one way was tried");
});

test("an opening that hangs is a failure", async () => {
  const { world } = start();
  await world.pass(12_000);
  assert.equal(world.sockets.length, 2);
});

test("hidden: keeps the connection for a while, opens none, returns at once", async () => {
  const { world } = connected();
  world.set({ hidden: true });
  await world.pass(60_000);
  world.last.end();
  await world.pass(600_000);
  assert.equal(world.sockets.length, 1);
  world.set({ hidden: false });
  assert.equal(world.sockets.length, 2);
  world.last.open();
  assert.deepEqual(world.last.sent, [helloAt(10)]);
});

test("hidden for long: lets the connection go", async () => {
  const { world } = connected();
  world.set({ hidden: true });
  for (let i = 0; i < 6; i++) {
    world.last.give(delta(10, 0, 0));
    await world.pass(60_000);
  }
  assert.ok(world.last.closed);
});

test("a page that is left lets go at once, and goes on where it was when the back button shows it again", async () => {
  const { world, take } = connected();
  world.set({ away: true });
  assert.ok(world.last.closed);
  await world.pass(60_000);
  assert.equal(world.sockets.length, 1);
  world.set({ away: false });
  world.last.open();
  assert.deepEqual(world.last.sent, [helloAt(10)]);
  world.last.give(delta(10, 5, 0x01));
  assert.deepEqual(take(), ["delta 0=1"]);
});

test("offline and back", () => {
  const { world, take } = connected();
  world.set({ online: false });
  assert.deepEqual(take(), ["offline"]);
  world.set({ online: true });
  assert.equal(world.sockets.length, 2);
  world.last.open();
  world.last.give(delta(10, 1, 0x01));
  assert.deepEqual(take(), ["delta 0=1", "live"]);
});

test("drain: goes on until its moment, then resumes elsewhere", async () => {
  const { world, take } = connected();
  world.last.give(bye(2, 0, 100), delta(10, 1, 0x01));
  assert.deepEqual(take(), ["delta 0=1"]);
  await world.pass(60);
  assert.equal(world.sockets.length, 2);
  world.last.open();
  assert.deepEqual(world.last.sent, [helloAt(11)]);
});

test("too slow: starts over with a snapshot after the time it was told", async () => {
  const { world } = connected();
  world.last.give(bye(1, 100, 20));
  await world.pass(105);
  assert.equal(world.sockets.length, 1);
  await world.pass(10);
  world.last.open();
  assert.deepEqual(world.last.sent, [helloWithoutPosition]);
});

test("a refused token is not sent again, another one is", async () => {
  let token = "old";
  const { world, live } = start({ token: () => token });
  world.last.open();
  assert.ok(world.last.sent[0].includes(Buffer.from("old").toString("hex")));
  world.last.give(bye(3, 10, 10));
  await world.pass(20);
  world.last.open();
  assert.deepEqual(world.last.sent, [helloWithoutPosition]);
  token = "new";
  live.tokenChanged();
  world.last.open();
  assert.ok(world.last.sent[0].includes(Buffer.from("new").toString("hex")));
});

test("a new token while the socket still opens goes with the hello of that socket", () => {
  let token = "";
  const { world, live } = start({ token: () => token });
  token = "new";
  live.tokenChanged(); // closing now would be an error in the browser's console, and one more handshake
  assert.equal(world.sockets.length, 1);
  assert.equal(world.last.closed, false);
  world.last.open();
  assert.ok(world.last.sent[0].includes(Buffer.from("new").toString("hex")));
});

test("final byes: says so, polls and does not come back", async () => {
  const { world, take } = start();
  world.last.open();
  world.last.give(bye(12, 0, 0));
  await world.pass(60_000);
  assert.equal(world.sockets.length, 1);
  assert.ok(world.polls > 10);
  assert.deepEqual(take().slice(0, 5), ["connecting", "refused 12", "map 2222", "free 0", "polling"]);
});

test("another view: asks for it, and a break before its snapshot does not resume", async () => {
  const { world, live } = connected();
  live.setView([1, 3]);
  assert.equal(world.last.sent.at(-1), "1202020101");
  world.last.end();
  await world.pass(1_000);
  world.last.open();
  assert.deepEqual(world.last.sent, [`11${event.replaceAll("-", "")}000202020101`]);
});

test("views in a row: one is asked for at a time, then the last; its map counts though the view before had come further", async () => {
  const { world, live, take } = connected();
  live.setView([1]);
  live.setView([2]);
  live.setView([3]);
  assert.deepEqual(world.last.sent.slice(1), ["12020101"]);
  world.last.give(delta(10, 2, 0x01), snapshot(8, "00"));
  assert.deepEqual(world.last.sent.slice(1), ["12020101", "12020103"]);
  world.last.give(snapshot(9, "ff"), delta(9, 4, 0x01));
  assert.deepEqual(take(), ["delta 0=1", "map 0000", "map 3333", "delta 0=1"]);
  assert.equal(world.last.sent.length, 3);
  world.last.end();
  await world.pass(1_000);
  world.last.open();
  assert.deepEqual(world.last.sent, [`11${event.replaceAll("-", "")}00030109${byte(13)}020103`]); // and is gone on from
});

test("close leaves nothing behind", async () => {
  const { world, live, take } = connected();
  world.last.end();
  live.close();
  take();
  assert.equal(world.timers, 0);
  await world.pass(100_000);
  world.set({ hidden: false });
  assert.equal(world.sockets.length, 1);
  assert.deepEqual(take(), []);
});

test("a deflated snapshot is shown before what followed it, the end of the connection too", async () => {
  const { world, take } = start();
  world.last.open();
  world.last.give(buffer("1d01090a05010500faff04010004e4"), delta(10, 2, 0x01));
  world.last.end();
  assert.deepEqual(take(), ["connecting"]);
  const seen: string[] = [];
  for (let turns = 0; turns < 10_000 && !seen.includes("reconnecting"); turns++) {
    await settle();
    seen.push(...take());
  }
  assert.deepEqual(seen, ["map 0123", "live", "delta 0=1", "reconnecting"]);
});

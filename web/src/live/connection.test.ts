import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LiveConnection, type LiveOptions } from "./connection.ts";
import type { Surroundings, Timer } from "./surroundings.ts";

const event = "0b9f7c1e-52a4-4a6e-9d3b-6a1f0c2d4e58";
const golden = JSON.parse(readFileSync("../realtime/wire/testdata/frames.json", "utf8")) as { name: string; hex: string }[];
const frame = (name: string) => buffer(golden.find((v) => v.name === name)!.hex);
const buffer = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex")).buffer;

// Positions below are (event 1, stream 9); its mark is in the deltas' second and third byte.
const snapshot = (offset: number, seats = "e4") => buffer(`180109${byte(offset)}04010004${seats}`);
const delta = (from: number, length: number, change: number) => buffer(`19${mark}${byte(from)}${byte(length)}0001${byte(change)}`);
const bye = (code: number, after: number, spread: number) => buffer(`1c${byte(code)}${byte(after)}${byte(spread)}00`);
const byte = (n: number) => n.toString(16).padStart(2, "0");
const mark = markHex();

function markHex(): string {
  let h = 2166136261;
  for (const b of [1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]) h = Math.imul(h ^ b, 16777619);
  const m = ((h >>> 16) ^ h) & 0xffff;
  return byte(m & 255) + byte(m >> 8);
}

class FakeSocket {
  readyState = 0;
  binaryType = "";
  sent: string[] = [];
  onopen?: () => void;
  onmessage?: (e: { data: unknown }) => void;
  onclose?: () => void;
  closed = false;

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  give(...frames: ArrayBuffer[]): void {
    for (const data of frames) this.onmessage?.({ data });
  }

  send(bytes: Uint8Array): void {
    this.sent.push(Buffer.from(bytes).toString("hex"));
  }

  close(): void {
    this.closed = true;
    this.readyState = 3;
  }

  /** The other side or the network ends it. */
  end(): void {
    this.readyState = 3;
    this.onclose?.();
  }
}

/** A browser with a clock of its own. */
class World implements Surroundings {
  time = 0;
  sockets: FakeSocket[] = [];
  answers: (() => Response)[] = [];
  polls = 0;
  isHidden = false;
  isOnline = true;
  #timers = new Map<number, { at: number; then: () => void }>();
  #next = 1;
  #changed: () => void = () => {};

  socket(): WebSocket {
    const s = new FakeSocket();
    this.sockets.push(s);
    return s as unknown as WebSocket;
  }

  get last(): FakeSocket {
    return this.sockets[this.sockets.length - 1];
  }

  fetch = async () => {
    this.polls++;
    return (this.answers.shift() ?? available)();
  };

  setTimeout(then: () => void, ms: number): Timer {
    this.#timers.set(this.#next, { at: this.time + ms, then });
    return this.#next++ as unknown as Timer;
  }

  clearTimeout(timer: Timer): void {
    this.#timers.delete(timer as unknown as number);
  }

  random = () => 0.5;
  now = () => this.time;
  hidden = () => this.isHidden;
  online = () => this.isOnline;

  watch(changed: () => void): () => void {
    this.#changed = changed;
    return () => (this.#changed = () => {});
  }

  set(what: { hidden?: boolean; online?: boolean }): void {
    this.isHidden = what.hidden ?? this.isHidden;
    this.isOnline = what.online ?? this.isOnline;
    this.#changed();
  }

  get timers(): number {
    return this.#timers.size;
  }

  async pass(ms: number): Promise<void> {
    const until = this.time + ms;
    for (;;) {
      await settle();
      const due = [...this.#timers].filter(([, t]) => t.at <= until).sort((a, b) => a[1].at - b[1].at)[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.time = due[1].at;
      due[1].then();
    }
    this.time = until;
    await settle();
  }
}

const settle = () => new Promise<void>((done) => setImmediate(done));
const available = () => Response.json({ seatsBitmap: "qg==", sections: [{ section: "A", free: 0, total: 4 }] });
const unavailable = () => new Response("", { status: 503 });

function start(o: Partial<LiveOptions> = {}) {
  const world = new World();
  const log: string[] = [];
  const live = new LiveConnection({
    url: "/live", event, pollUrl: "/availability", seats: 4, surroundings: world,
    onSnapshot: (s) => log.push(`map ${[...s].join("")}`),
    onDelta: (ordinals, statuses) => log.push(`delta ${[...ordinals].map((seat, i) => `${seat}=${statuses[i]}`).join(" ")}`),
    onSummary: (free) => log.push(`free ${free.join(" ")}`),
    onNotice: (kind, body) => log.push(`notice ${kind} ${JSON.stringify(body)}`),
    onState: (s) => log.push(s),
    onRefused: (b) => log.push(`refused ${b.code}`),
    ...o,
  });
  const take = () => log.splice(0);
  return { world, live, take };
}

/** Connects and shows the first map. */
function connected(o: Partial<LiveOptions> = {}) {
  const all = start(o);
  all.world.last.open();
  all.world.last.give(snapshot(10));
  all.take();
  return all;
}

const helloWithoutPosition = `11${event.replaceAll("-", "")}000001`;
const helloAt = (offset: number) => `11${event.replaceAll("-", "")}00010109${byte(offset)}01`;

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
  assert.ok(world.sockets.length >= 4, "gave up on the socket");
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
  assert.ok(world.sockets.length > 40, `${world.sockets.length} attempts in 20 minutes`);
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

test("a phone that slept does not trust its socket", async () => {
  const { world } = connected();
  world.time += 600_000; // no timer ran
  world.set({ hidden: false });
  assert.equal(world.sockets.length, 2);
  assert.ok(world.sockets[0].closed);
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
  assert.deepEqual(world.last.sent, [`11${event.replaceAll("-", "")}000002020101`]);
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

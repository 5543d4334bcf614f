import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { INFLATES, inOrder } from "./inflate.ts";
import { decodeFrame, type Frame } from "./wire.ts";

const golden = JSON.parse(readFileSync("../realtime/wire/testdata/frames.json", "utf8")) as { name: string; hex: string }[];
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));
const frame = (name: string) => bytes(golden.find((v) => v.name === name)!.hex);

/** Position (event 1, stream 9, offset), then what follows it in a snapshot of so many seats, deflated. */
function deflated(offset: number, seats: number, size?: number, cut = 0): Uint8Array<ArrayBuffer> {
  const rest = Buffer.concat([Buffer.from([...varint(seats), 1, 0, ...varint(seats)]), Buffer.alloc(Math.ceil(seats / 4), 0xaa)]);
  const packed = deflateRawSync(rest);
  return Uint8Array.from([0x1d, 1, 9, offset, ...varint(size ?? rest.length), ...packed.subarray(0, packed.length - cut)]);
}

const varint = (n: number): number[] => (n < 128 ? [n] : [(n % 128) + 128, ...varint(Math.floor(n / 128))]);

function collected(): { frames: (Frame | null)[]; take: (m: ArrayBuffer | Uint8Array<ArrayBuffer> | null) => void; end: (then: () => void) => void; come: (n: number) => Promise<void> } {
  const frames: (Frame | null)[] = [];
  const line = inOrder((m) => frames.push(m && decodeFrame(m)));
  return {
    frames, take: line.message, end: line.end,
    async come(n) {
      for (let turns = 0; frames.length < n && turns < 10_000; turns++) await new Promise((done) => setImmediate(done));
      assert.equal(frames.length, n);
    },
  };
}

test("says that it inflates where it can", () => assert.equal(INFLATES, true));

test("inflates what Go deflated, to what the plain vector says", async () => {
  const c = collected();
  c.take(frame("snapshot, deflated"));
  await c.come(1);
  assert.deepEqual(c.frames[0], decodeFrame(frame("snapshot, seven seats")));
});

test("passes plain messages on at once", () => {
  const c = collected();
  c.take(frame("summary"));
  c.take(null);
  c.take(frame("bye, bare").buffer);
  assert.deepEqual(c.frames.map((f) => f && f.kind), ["summary", null, "bye"]);
});

test("keeps the order: what follows a deflated snapshot waits for it", async () => {
  const c = collected();
  c.take(frame("summary"));
  c.take(deflated(7, 60_000));
  c.take(frame("delta, three changes"));
  c.take(null);
  c.take(deflated(9, 4));
  c.take(frame("bye, bare"));
  let over = -1;
  c.end(() => (over = c.frames.length));
  assert.equal(c.frames.length, 1);
  await c.come(6);
  assert.deepEqual(c.frames.map((f) => f && f.kind), ["summary", "snapshot", "delta", null, "snapshot", "bye"]);
  const [, first, , , second] = c.frames;
  assert.ok(first?.kind === "snapshot" && first.statuses.length === 60_000 && first.statuses.every((s) => s === 2) && first.position.offset === 7);
  assert.ok(second?.kind === "snapshot" && second.position.offset === 9);
  assert.equal(over, 6, "the end comes last");
  c.take(frame("summary"));
  c.end(() => (over = c.frames.length));
  assert.equal(over, 7, "nothing waits any more");
});

test("passes on nothing of what does not inflate to what it says", async () => {
  const c = collected();
  const bad = [deflated(1, 400, 50), deflated(1, 400, 500), deflated(1, 400, undefined, 3), bytes("1d010901"), bytes("1d01090a03ff")];
  for (const message of bad) c.take(message);
  c.take(frame("summary"));
  await c.come(bad.length + 1);
  assert.deepEqual(c.frames.map((f) => f && f.kind), [...bad.map(() => null), "summary"]);
});

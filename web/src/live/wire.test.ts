import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { WireError, decodeFrame, encodeHello, encodeView, type Frame, type Position, type View } from "./wire.ts";

interface Vector { name: string; hex: string; meaning?: Record<string, unknown>; error?: string }
const vectors = JSON.parse(readFileSync("../realtime/wire/testdata/frames.json", "utf8")) as Vector[];

const unhex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hex = (bytes: Uint8Array) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
const toServer = new Set(["hello", "view"]);

test("decodes the golden vectors that Go decodes", () => {
  let seen = 0;
  for (const v of vectors) {
    if (v.error || toServer.has(v.meaning!.kind as string)) continue;
    seen++;
    assert.deepEqual(meaning(decodeFrame(unhex(v.hex))), v.meaning, v.name);
  }
  assert.ok(seen >= 9, `${seen} vectors`);
});

test("refuses what Go refuses", () => {
  for (const v of vectors) {
    if (!v.error) continue;
    assert.throws(() => decodeFrame(unhex(v.hex)), (e) => e instanceof WireError && e.version === (v.error === "version"), v.name);
  }
});

test("says to everything that fuzzing has found what Go says", () => {
  const { frames } = JSON.parse(readFileSync("../realtime/wire/testdata/corpus.json", "utf8")) as { frames: Vector[] };
  let seen = 0;
  for (const v of frames) {
    const bytes = unhex(v.hex);
    if (bytes[0] === 0x11 || bytes[0] === 0x12) continue; // hello and view: only gateways decode them
    seen++;
    if (v.error) {
      assert.throws(() => decodeFrame(bytes), (e) => e instanceof WireError && e.version === (v.error === "version"), v.hex);
    } else {
      assert.deepEqual(meaning(decodeFrame(bytes)), v.meaning, v.hex);
    }
  }
  assert.ok(seen > 300, `${seen} samples`);
});

test("encodes what Go decodes", () => {
  let seen = 0;
  for (const v of vectors) {
    const m = v.meaning as { kind: string; event: string; token: string; resume?: Position; inflates?: boolean; view: { mode: number; sections: number[] } } | undefined;
    if (!m || !toServer.has(m.kind)) continue;
    seen++;
    const view: View = m.view.mode === 2 ? m.view.sections : m.view.mode === 1 ? "whole" : "overview";
    const bytes = m.kind === "view" ? encodeView(view) : encodeHello({ event: m.event, token: m.token, resume: m.resume, inflates: m.inflates, view });
    assert.equal(hex(bytes), v.hex, v.name);
  }
  assert.ok(seen >= 4, `${seen} vectors`);
});

test("no bytes make the decoder do anything but answer or throw WireError", () => {
  let seed = 1;
  const random = (n: number) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % n;
  const good = vectors.filter((v) => !v.error).map((v) => unhex(v.hex));
  for (let i = 0; i < 20_000; i++) {
    const bytes = good[random(good.length)].slice();
    for (let n = 1 + random(3); n > 0; n--) bytes[random(bytes.length)] = random(256);
    try {
      decodeFrame(bytes.subarray(0, random(4) === 0 ? random(bytes.length + 1) : bytes.length));
    } catch (e) {
      if (!(e instanceof WireError)) assert.fail(`${hex(bytes)}: ${String(e)}`);
    }
  }
});

test("hello refuses an event id that is none", () => {
  assert.throws(() => encodeHello({ event: "x", token: "", view: "whole" }), WireError);
});

/** A frame in the words of the golden vectors. */
function meaning(f: Frame): unknown {
  switch (f.kind) {
    case "snapshot": return { ...f, statuses: [...f.statuses] };
    case "deflated": return { kind: f.kind, position: f.position, size: f.size, packed: hex(f.packed) };
    case "delta": {
      const { ordinals, statuses, ...rest } = f;
      return { ...rest, changes: [...ordinals].map((o, i) => [o, statuses[i]]) };
    }
    default: return f;
  }
}

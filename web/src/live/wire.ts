// The viewer protocol "plateia.v1". Its specification is realtime/wire/doc.go; both decoders pass the golden
// vectors in realtime/wire/testdata.

export const SUBPROTOCOL = "plateia.v1";

/** Thrown by decodeFrame for anything that is not exactly a frame; `version` when the protocol is another one. */
export class WireError extends Error {
  readonly version: boolean;

  constructor(what: string, version = false) {
    super(`live: ${what}`);
    this.version = version;
  }
}

/** How far a map has come. `mark` is the digest of the epoch (event, stream) that deltas carry. */
export interface Position { event: number; stream: number; offset: number; mark: number }

/** "overview" shows free seats by section, "whole" every seat, a list the seats of these section indexes (ascending). */
export type View = "overview" | "whole" | readonly number[];

export interface Snapshot {
  kind: "snapshot"; position: Position; seats: number;
  /** Half-open runs of ordinals. */
  ranges: [number, number][];
  /** One status per seat of the ranges: 0 available, 1 held, 2 sold, 3 blocked. */
  statuses: Uint8Array;
}

/** A snapshot that is to be inflated, see inflate.ts. `head` is its position as it came, `size` how long the rest becomes. */
export interface Deflated { kind: "deflated"; position: Position; head: Uint8Array; size: number; packed: Uint8Array }

/** Everything that changed in the view in the range (from, to]. `at` is the oldest change's commit time in Unix ms, 0 for none. */
export interface Delta {
  kind: "delta"; mark: number; from: number; to: number; at: number; ordinals: Uint32Array; statuses: Uint8Array;
}

export interface Summary { kind: "summary"; position: Position; at: number; free: number[] }

/** `notice`: 1 event state, 2 prices, 3 my hold, 4 my order. `body` is what the JSON says. */
export interface Notice { kind: "notice"; notice: number; body: unknown }

/** Reconnect after `after` plus a random share of `spread` (ms). */
export interface Bye { kind: "bye"; code: number; after: number; spread: number; text: string }

export type Frame = Snapshot | Deflated | Delta | Summary | Notice | Bye;

export const BYE = {
  resync: 1, drain: 2, token: 3, unknownEvent: 4, version: 5, protocol: 6, helloLate: 7, flood: 8, tooMany: 9,
  noSection: 10, unavailable: 11, notAllowed: 12,
} as const;

const MAX_SEATS = 1 << 20;
const MAX_SECTIONS = 1 << 14;
const MAX_INFLATED = MAX_SEATS / 4 + 6 * MAX_SECTIONS + 16;

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** What is left, without taking it. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  byte(): number {
    if (this.left < 1) throw new WireError("cut");
    return this.#bytes[this.#at++];
  }

  bytes(n: number): Uint8Array {
    if (n > this.left) throw new WireError("cut");
    return this.#bytes.subarray(this.#at, (this.#at += n));
  }

  /** Unsigned LEB128 in its shortest form, below 2^53. Beyond 31 bits shifts would overflow, so it multiplies. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      const b = this.byte();
      value += (b & 0x7f) * scale;
      if (b < 0x80) {
        if ((b === 0 && i > 0) || value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw new WireError("number");
  }

  count(limit: number): number {
    const n = this.varint();
    if (n > limit) throw new WireError("count over its limit");
    return n;
  }

  text(limit: number): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.bytes(this.count(limit)));
  }

  position(): Position {
    const event = this.varint();
    const stream = this.varint();
    return { event, stream, offset: this.varint(), mark: epochMark(event, stream) };
  }
}

/** Decodes one message of a gateway. Throws WireError. */
export function decodeFrame(buf: ArrayBuffer | Uint8Array): Frame {
  const r = new Reader(buf instanceof Uint8Array ? buf : new Uint8Array(buf));
  const kind = r.byte();
  if ((kind & 0xf0) !== 0x10) throw new WireError("another version of the protocol", true);
  const frame = decodeBody(r, kind);
  if (r.left > 0) throw new WireError("trailing bytes");
  return frame;
}

function decodeBody(r: Reader, kind: number): Frame {
  switch (kind) {
    case 0x18: return decodeSnapshot(r);
    case 0x19: return decodeDelta(r);
    case 0x1a: return decodeSummary(r);
    case 0x1b: return decodeNotice(r);
    case 0x1c: return decodeBye(r);
    case 0x1d: return decodeDeflated(r);
    default: throw new WireError("unknown kind of message");
  }
}

function decodeSnapshot(r: Reader): Snapshot {
  const position = r.position();
  const seats = r.count(MAX_SEATS);
  const ranges: [number, number][] = [];
  let end = 0;
  let shown = 0;
  for (let n = r.count(Math.min(MAX_SECTIONS, r.left / 2)); n > 0; n--) {
    const from = end + r.varint();
    end = from + r.varint();
    if (end === from || end > seats) throw new WireError("range");
    ranges.push([from, end]);
    shown += end - from;
  }
  return { kind: "snapshot", position, seats, ranges, statuses: unpack(r.bytes(Math.ceil(shown / 4)), shown) };
}

/** Two bits a seat, seat i at bits 2*(i%4) of byte i/4. */
function unpack(packed: Uint8Array, seats: number): Uint8Array {
  if (seats % 4 !== 0 && packed[packed.length - 1] >> (2 * (seats % 4)) !== 0) throw new WireError("bits after the last seat");
  const statuses = new Uint8Array(seats);
  for (let i = 0; i < seats; i++) statuses[i] = (packed[i >> 2] >> (2 * (i & 3))) & 3;
  return statuses;
}

function decodeDelta(r: Reader): Delta {
  const mark = r.byte() | (r.byte() << 8);
  const from = r.varint();
  const to = from + r.varint();
  if (to > Number.MAX_SAFE_INTEGER) throw new WireError("range");
  const at = r.varint();
  const n = r.count(Math.min(MAX_SEATS, r.left));
  const ordinals = new Uint32Array(n);
  const statuses = new Uint8Array(n);
  let next = 0;
  for (let i = 0; i < n; i++) {
    const v = r.varint();
    const o = next + Math.floor(v / 4);
    if (o >= MAX_SEATS) throw new WireError("ordinal");
    ordinals[i] = o;
    statuses[i] = v % 4;
    next = o + 1;
  }
  return { kind: "delta", mark, from, to, at, ordinals, statuses };
}

function decodeSummary(r: Reader): Summary {
  const position = r.position();
  const at = r.varint();
  const free: number[] = [];
  for (let n = r.count(Math.min(MAX_SECTIONS, r.left)); n > 0; n--) free.push(r.count(MAX_SEATS));
  return { kind: "summary", position, at, free };
}

function decodeNotice(r: Reader): Notice {
  const notice = r.byte();
  const text = r.text(4096);
  try {
    return { kind: "notice", notice, body: JSON.parse(text) };
  } catch {
    throw new WireError("notice");
  }
}

function decodeBye(r: Reader): Bye {
  const day = 86_400_000;
  return { kind: "bye", code: r.count(999), after: r.count(day), spread: r.count(day), text: r.text(120) };
}

function decodeDeflated(r: Reader): Deflated {
  const all = r.rest();
  const position = r.position();
  const head = all.subarray(0, all.length - r.left);
  const size = r.count(MAX_INFLATED);
  const packed = r.bytes(r.left);
  if (size === 0 || packed.length === 0) throw new WireError("nothing deflated");
  return { kind: "deflated", position, head, size, packed };
}

/** 16 bits of an epoch: FNV-1a over the 16 bytes of both numbers, little-endian, folded. */
export function epochMark(event: number, stream: number): number {
  let h = 2166136261;
  for (let v of [event, stream]) {
    for (let i = 0; i < 8; i++) {
      h = Math.imul(h ^ (v % 256), 16777619);
      v = Math.floor(v / 256);
    }
  }
  return ((h >>> 16) ^ h) & 0xffff;
}

/** `inflates`: snapshots may come deflated. */
export interface Hello { event: string; token: string; resume?: Position; inflates?: boolean; view: View }

/** The first message of a connection. */
export function encodeHello(hello: Hello): Uint8Array<ArrayBuffer> {
  const token = new TextEncoder().encode(hello.token);
  const out = [0x11, ...uuidBytes(hello.event)];
  pushVarint(out, token.length);
  for (const b of token) out.push(b);
  out.push((hello.resume ? 1 : 0) | (hello.inflates ? 2 : 0));
  if (hello.resume) for (const n of [hello.resume.event, hello.resume.stream, hello.resume.offset]) pushVarint(out, n);
  pushView(out, hello.view);
  return Uint8Array.from(out);
}

/** Asks for another view. */
export function encodeView(view: View): Uint8Array<ArrayBuffer> {
  const out = [0x12];
  pushView(out, view);
  return Uint8Array.from(out);
}

function pushView(out: number[], view: View): void {
  if (view === "overview" || view === "whole") {
    out.push(view === "whole" ? 1 : 0);
    return;
  }
  out.push(2);
  pushVarint(out, view.length);
  let next = 0;
  for (const s of view) {
    pushVarint(out, s - next);
    next = s + 1;
  }
}

function pushVarint(out: number[], v: number): void {
  while (v >= 128) {
    out.push((v % 128) + 128);
    v = Math.floor(v / 128);
  }
  out.push(v);
}

function uuidBytes(uuid: string): number[] {
  const hex = uuid.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/i.test(hex)) throw new WireError("event id");
  return hex.match(/../g)!.map((pair) => parseInt(pair, 16));
}

// A browser, its network and its clock, for tests of the live connection.
import { readFileSync } from "node:fs";
import { LiveConnection } from "./connection.ts";
import { fallback } from "./fallback.ts";
import type { LiveOptions } from "./options.ts";
import type { Surroundings, Timer } from "./surroundings.ts";

export const event = "0b9f7c1e-52a4-4a6e-9d3b-6a1f0c2d4e58";
const golden = JSON.parse(readFileSync("../realtime/wire/testdata/frames.json", "utf8")) as { name: string; hex: string }[];
export const frame = (name: string) => buffer(golden.find((v) => v.name === name)!.hex);
export const buffer = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex")).buffer;

// Positions below are (event 1, stream 9); its mark is in the deltas' second and third byte.
export const snapshot = (offset: number, seats = "e4") => buffer(`180109${byte(offset)}04010004${seats}`);
export const delta = (from: number, length: number, change: number) => buffer(`19${mark}${byte(from)}${byte(length)}0001${byte(change)}`);
export const bye = (code: number, after: number, spread: number) => buffer(`1c${byte(code)}${byte(after)}${byte(spread)}00`);
export const byte = (n: number) => n.toString(16).padStart(2, "0");
const mark = markHex();

function markHex(): string {
  let h = 2166136261;
  for (const b of [1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]) h = Math.imul(h ^ b, 16777619);
  const m = ((h >>> 16) ^ h) & 0xffff;
  return byte(m & 255) + byte(m >> 8);
}

export class FakeSocket {
  readyState = 0;
  binaryType = "";
  sent: string[] = [];
  onopen?: (() => void) | null;
  onmessage?: ((e: { data: unknown }) => void) | null;
  onclose?: (() => void) | null;
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

/** A stream that the page has asked for. */
export class FakeStream {
  readonly address: string;
  readonly headers: Record<string, string>;
  closed = false;
  #answer!: (r: Response) => void;
  #body!: ReadableStreamDefaultController<Uint8Array>;
  readonly answered = new Promise<Response>((done) => (this.#answer = done));

  constructor(address: string, init: RequestInit) {
    this.address = address;
    this.headers = init.headers as Record<string, string>;
    init.signal?.addEventListener("abort", () => {
      this.closed = true;
      this.#answer(new Response(null, { status: 499 }));
    });
  }

  /** The gateway begins to answer. */
  open(): void {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (this.#body = controller) });
    this.#answer(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
  }

  refuse(status: number, headers: Record<string, string> = {}): void {
    this.#answer(new Response("{}", { status, headers }));
  }

  async give(...frames: ArrayBuffer[]): Promise<void> {
    for (const f of frames) this.text(`id: 1.9.1\ndata: ${Buffer.from(f).toString("base64")}\n\n`);
    await settle();
    await settle();
  }

  text(text: string): void {
    this.#body.enqueue(new TextEncoder().encode(text));
  }

  async end(): Promise<void> {
    this.#body.close();
    await settle();
    await settle();
  }
}

/** A browser with a clock of its own. */
export class World implements Surroundings {
  time = 0;
  sockets: FakeSocket[] = [];
  answers: (() => Response | Promise<Response>)[] = [];
  streams: FakeStream[] = [];
  streamsWork = false; // else asking for one fails at once
  polls = 0;
  isHidden = false;
  isAway = false;
  isOnline = true;
  #timers = new Map<number, { at: number; then: () => void }>();
  #next = 1;
  #changed: () => void = () => {};

  socket(): WebSocket {
    const s = new FakeSocket();
    this.sockets.push(s);
    return s as unknown as WebSocket;
  }

  get stream(): FakeStream {
    return this.streams[this.streams.length - 1];
  }

  get last(): FakeSocket {
    return this.sockets[this.sockets.length - 1];
  }

  fetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (url.startsWith("/live")) {
      const stream = new FakeStream(url, init);
      this.streams.push(stream);
      return this.streamsWork ? stream.answered : Promise.reject(new TypeError("network"));
    }
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
  hidden = () => this.isHidden || this.isAway;
  away = () => this.isAway;
  online = () => this.isOnline;

  watch(changed: () => void): () => void {
    this.#changed = changed;
    return () => (this.#changed = () => {});
  }

  set(what: { hidden?: boolean; away?: boolean; online?: boolean }): void {
    this.isAway = what.away ?? this.isAway;
    this.isHidden = what.hidden ?? this.isHidden;
    this.isOnline = what.online ?? this.isOnline;
    this.#changed();
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** The device sleeps: the clock goes on, timers stand still. */
  sleep(ms: number): void {
    this.time += ms;
    for (const timer of this.#timers.values()) timer.at += ms;
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

export const settle = () => new Promise<void>((done) => setImmediate(done));
export const available = () => Response.json({ seatsBitmap: "qg==", sections: [{ section: "A", free: 0, total: 4 }] });
export const unavailable = () => new Response("", { status: 503 });

export function start(o: Partial<LiveOptions> = {}) {
  const world = new World();
  const log: string[] = [];
  const live = new LiveConnection({
    url: "/live", event, pollUrl: "/availability", seats: 4, surroundings: world, fallback,
    onSnapshot: (s) => log.push(`map ${[...s].join("")}`),
    onDelta: (ordinals, statuses) => log.push(`delta ${[...ordinals].map((seat, i) => `${seat}=${statuses[i]}`).join(" ")}`),
    onSummary: (free) => log.push(`free ${free.join(" ")}`),
    onNotice: (kind, body) => log.push(`notice ${kind} ${JSON.stringify(body)}`),
    onState: (s, way) => log.push(way === "events" ? "live by events" : s),
    onRefused: (b) => log.push(`refused ${b.code}`),
    ...o,
  });
  const take = () => log.splice(0);
  return { world, live, take };
}

/** Connects and shows the first map. */
export function connected(o: Partial<LiveOptions> = {}) {
  const all = start(o);
  all.world.last.open();
  all.world.last.give(snapshot(10));
  all.take();
  return all;
}

export const helloWithoutPosition = `11${event.replaceAll("-", "")}000201`; // node inflates
export const helloAt = (offset: number) => `11${event.replaceAll("-", "")}00030109${byte(offset)}01`;

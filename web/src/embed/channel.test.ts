import { test } from "node:test";
import assert from "node:assert/strict";
import { FrameChannel } from "./channel.ts";
import { connect, type ToFrame, type ToHost } from "./protocol.ts";

const HOST = "https://venue.example", OTHER = "https://evil.example";

/** A frame's window in a host's, which tests post to. */
function frame(origins: (fresh: boolean) => Promise<readonly string[]> = async () => [HOST]) {
  const listeners = new Set<(e: MessageEvent) => void>(), heard: ToFrame[] = [], parent = {} as MessageEventSource;
  const channel = new FrameChannel({
    parent, addEventListener: (_, l) => listeners.add(l), removeEventListener: (_, l) => listeners.delete(l), wait: async () => {},
  }, { heard: (m) => heard.push(m), origins, tooNew: "too new" });
  const post = (data: unknown, origin: string, source: unknown, ports: MessagePort[]): void =>
    [...listeners].forEach((l) => l({ data, origin, source, ports } as unknown as MessageEvent));
  /** Connects, and answers what the port's other end hears. */
  const call = (over: { data?: unknown; origin?: string; source?: unknown; ports?: number } = {}) => {
    const { port1, port2 } = new MessageChannel(), got: ToHost[] = [];
    port1.onmessage = (e: MessageEvent) => got.push(e.data as ToHost);
    const more = Array.from({ length: (over.ports ?? 1) - 1 }, () => new MessageChannel().port2);
    post(over.data ?? connect, over.origin ?? HOST, "source" in over ? over.source : parent, over.ports === 0 ? [] : [port2, ...more]);
    return { port: port1, got };
  };
  return { channel, heard, listeners, call };
}

/** Lets decisions be made: they wait for promises only. */
const settle = (): Promise<void> => new Promise((done) => setTimeout(done));

/** Messages of ports arrive some tasks later. */
async function until(is: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !is() && Date.now() < end;) await new Promise((done) => setTimeout(done, 5));
}

test("the host that holds the frame connects once; what was said before reaches it, the newest of each kind", async (t) => {
  const f = frame();
  f.channel.tell({ type: "stage", stage: "loading" });
  f.channel.tell({ type: "hold", hold: null });
  f.channel.tell({ type: "stage", stage: "shop" });
  const { port, got } = f.call(), second = f.call();
  t.after(() => (port.close(), second.port.close()));
  await until(() => got.length === 3);
  assert.deepEqual(got, [{ type: "ready", protocol: 1 }, { type: "stage", stage: "shop" }, { type: "hold", hold: null }]);
  port.postMessage({ type: "best", quantity: 2 });
  port.postMessage({ type: "best", quantity: -2 });
  port.postMessage({ type: "later" });
  f.channel.tell({ type: "checkout" });
  second.port.postMessage({ type: "close" });
  const third = f.call();
  third.port.postMessage({ type: "close" });
  t.after(() => third.port.close());
  await until(() => got.length === 4 && f.heard.length === 1);
  assert.deepEqual(f.heard, [{ type: "best", quantity: 2 }]);
  assert.deepEqual(got.at(-1), { type: "checkout" });
  assert.deepEqual([second.got, third.got], [[], []]);
  assert.equal(f.listeners.size, 0);
});

test("a stranger's call is not heard, and the host's that follows is", async (t) => {
  const f = frame();
  const forged = [
    f.call({ source: {} }), f.call({ source: null }), f.call({ source: {}, origin: HOST }), f.call({ data: "connect" }),
    f.call({ data: { type: "connect" } }), f.call({ ports: 0 }), f.call({ ports: 2 }),
  ];
  const wrong = f.call({ origin: OTHER }); // the frame's parent, but not one of the event's pages
  await settle();
  const { got, port } = f.call();
  t.after(() => [port, wrong.port, ...forged.map((c) => c.port)].forEach((p) => p.close()));
  await until(() => got.length === 1);
  for (const c of [wrong, ...forged]) assert.deepEqual(c.got, []);
  assert.deepEqual(got, [{ type: "ready", protocol: 1 }]);
});

test("an origin is compared whole, and a list that cannot be had lets nobody in", async (t) => {
  let asked = 0;
  const f = frame(async () => {
    asked++;
    throw new Error("offline");
  });
  const refused = f.call();
  const g = frame(async () => ["https://venue.example:8443", "https://venue.example.org", "http://venue.example", "null", "*"]);
  const calls = [g.call(), refused];
  t.after(() => calls.forEach((c) => c.port.close()));
  await settle();
  for (const c of calls) assert.deepEqual(c.got, []);
  assert.equal(asked, 4);
});

test("a partner who was added a moment ago is let in although a cache has the list without them", async (t) => {
  const f = frame(async (fresh) => (fresh ? [HOST] : []));
  const { got, port } = f.call();
  t.after(() => port.close());
  await until(() => got.length === 1);
  assert.equal(got.length, 1);
});

test("a host of a newer version is told so and hears nothing else", async (t) => {
  const f = frame();
  f.channel.tell({ type: "hold", hold: null });
  const { got, port } = f.call({ data: { plateia: 2, type: "connect" } });
  t.after(() => port.close());
  await until(() => got.length === 1);
  assert.deepEqual(got, [{ type: "error", code: "VERSION", text: "too new" }]);
});

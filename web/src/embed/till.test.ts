import { beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import { keepSession } from "../auth/session.ts";
import { ready } from "./hand-over.ts";
import type { Other } from "./pay-window.ts";
import { FrameTill } from "./till.ts";

const ID = "0197a5b2-7c1d-7def-8abc-0123456789ab", OURS = "https://tickets.example";
type Posted = { type: string; order: string; session: { sessionToken: string } };

beforeEach(() => keepSession({ sessionToken: "s", expiresAt: new Date(Date.now() + 3_600_000).toISOString(), account: { accountId: ID, email: "fan@example.com" } }));

/** A frame whose browser opens windows or not. */
function frame(opens: boolean[]) {
  const listeners = new Set<(e: MessageEvent) => void>(), windows: (Other & { got: Posted[]; closed: boolean })[] = [], said: string[] = [];
  const till = new FrameTill(ID, {
    origin: OURS, addEventListener: (_, l) => listeners.add(l), removeEventListener: (_, l) => listeners.delete(l),
    open() {
      said.push("open");
      if (!opens.shift()) return null;
      const made = { got: [] as Posted[], closed: false, postMessage: (m: Posted) => made.got.push(m), close: () => (made.closed = true) };
      windows.push(made as never);
      return made as unknown as Other;
    },
  }, { checkout: () => said.push("checkout"), follow: (order) => said.push(`follow ${order}`) });
  const ask = (n: number): void => [...listeners].forEach((l) => l({ source: windows[n], origin: OURS, data: ready(`${n}`.repeat(32)) } as unknown as MessageEvent));
  const until = async (n: number, many: number): Promise<void> => {
    for (const end = Date.now() + 20_000; windows[n]!.got.length < many && Date.now() < end;) await new Promise((done) => setTimeout(done, 5));
  };
  return { till, windows, said, listeners, ask, until };
}

test("the window is opened before anything else, and gets the order once there is one", async () => {
  const f = frame([true]), paying = f.till.begin();
  assert.deepEqual(f.said, ["open", "checkout"]);
  f.ask(0);
  assert.equal(f.windows[0]!.got.length, 0);
  paying.go({ orderId: ID, paymentUrl: "" });
  await f.until(0, 1);
  assert.deepEqual([f.said.at(-1), f.till.given, f.windows[0]!.got[0]!.order, f.windows[0]!.got[0]!.session.sessionToken], [`follow ${ID}`, ID, ID, "s"]);
});

test("without an order the window is closed again", () => {
  const f = frame([true]);
  f.till.begin().stop();
  assert.deepEqual([f.windows[0]!.closed, f.listeners.size, f.till.given], [true, 0, ""]);
});

test("a browser that opens no window is counted until it does; the order is followed all the same", () => {
  const f = frame([false, false, true]);
  f.till.begin().go({ orderId: ID, paymentUrl: "" });
  assert.deepEqual([f.till.blocked, f.till.given, f.said.at(-1)], [1, "", `follow ${ID}`]);
  f.till.pay(ID);
  assert.equal(f.till.blocked, 2);
  f.till.pay(ID);
  assert.equal(f.till.blocked, 0);
});

test("a second window makes the first a stranger", async () => {
  const f = frame([true, true]);
  f.till.pay(ID);
  f.till.pay(ID);
  f.ask(0);
  f.ask(1);
  await f.until(1, 1);
  assert.deepEqual([f.windows[0]!.got.length, f.windows[1]!.got.length, f.listeners.size], [0, 1, 1]);
});

test("a fan whose session is over pays nothing: the window is closed", async () => {
  const f = frame([true]);
  keepSession({ sessionToken: "s", expiresAt: new Date(Date.now() - 1000).toISOString(), account: { accountId: ID, email: "fan@example.com" } });
  f.till.pay(ID);
  f.ask(0);
  assert.deepEqual([f.windows[0]!.closed, f.windows[0]!.got.length], [true, 0]);
});

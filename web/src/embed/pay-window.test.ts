import { before, test } from "node:test";
import assert from "node:assert/strict";
import type { Access } from "../api/types.ts";
import { type HandOver, handOver, readHandOver, readReady, ready } from "./hand-over.ts";
import { type Here, type Other, PayWindow, receive } from "./pay-window.ts";

const OURS = "https://tickets.example", EVIL = "https://evil.example", NONCE = "0123456789abcdef".repeat(2);
const ID = "0197a5b2-7c1d-7def-8abc-0123456789ab", NEVER = new Promise<void>(() => {});

let keys: CryptoKeyPair, handed: HandOver;
before(async () => {
  keys = { ...(await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"])) as CryptoKeyPair };
  handed = {
    session: { sessionToken: "s", expiresAt: "2026-07-02T20:00:00Z", account: { accountId: ID, email: "fan@example.com" } },
    keys, event: ID, access: { accessToken: "a", expiresAt: "2026-07-02T20:00:00Z" }, order: ID,
  };
});

/** A window: what is posted to it reaches its listeners when the target origin is its own, as browsers do. */
class Win implements Here, Other {
  readonly listeners = new Set<(e: MessageEvent) => void>();
  readonly got: unknown[] = [];
  origin: string;
  closed = false;
  constructor(origin: string) {
    this.origin = origin;
  }
  addEventListener(_: "message", l: (e: MessageEvent) => void): void {
    this.listeners.add(l);
  }
  removeEventListener(_: "message", l: (e: MessageEvent) => void): void {
    this.listeners.delete(l);
  }
  close(): void {
    this.closed = true;
  }
  postMessage(): void {
    throw new Error("use from()");
  }
  deliver(data: unknown, target: unknown, source: unknown, origin: string): void {
    if (target !== this.origin) return;
    this.got.push(data);
    for (const l of [...this.listeners]) l({ data, origin, source } as MessageEvent);
  }
}

/** This window as another one has it: what it posts comes from there. */
const seenBy = (to: Win, from: () => unknown, origin: () => string): Other => ({
  postMessage: (data: unknown, target: unknown) => to.deliver(data, target, from(), origin()), close: () => to.close(),
}) as Other;

/** A frame and the window it has opened, each as the other sees it. */
function pair(frameOrigin = OURS, popupOrigin = OURS) {
  const frame = new Win(frameOrigin), popup = new Win(popupOrigin);
  const popupSeen: Other = seenBy(popup, () => frameSeen, () => frame.origin), frameSeen: Other = seenBy(frame, () => popupSeen, () => popup.origin);
  return { frame, popup, popupSeen, frameSeen };
}

test("the window gets what it needs, whoever of the two is ready first, and again when it is loaded again", async () => {
  for (const order of ["window", "frame"]) {
    const { frame, popup, popupSeen, frameSeen } = pair(), opened = new PayWindow(popupSeen, frame);
    if (order === "frame") opened.give(handed);
    const got = receive(frameSeen, popup, NONCE, NEVER);
    if (order === "window") opened.give(handed);
    assert.deepEqual(await got, handed);
    assert.deepEqual(await receive(frameSeen, popup, NONCE.split("").reverse().join(""), NEVER), handed);
    assert.equal(popup.listeners.size, 0);
    opened.close();
    assert.deepEqual([frame.listeners.size, popup.closed], [0, true]);
  }
});

test("a page that opens the window cannot put a session into it", async () => {
  const { frame, popup, frameSeen } = pair(EVIL);
  const got = receive(frameSeen, popup, NONCE, Promise.resolve());
  assert.equal(frame.got.length, 0); // it does not even learn the number
  popup.deliver(handOver(NONCE, handed), OURS, frameSeen, EVIL); // the right window and number at the wrong origin
  assert.equal(await got, null);
});

test("nor can another window of our own origin, another window at all, or who does not know the number", async () => {
  const { frame, popup, popupSeen, frameSeen } = pair();
  let end = (): void => {};
  const got = receive(frameSeen, popup, NONCE, new Promise<void>((done) => (end = done)));
  popup.deliver(handOver(NONCE, handed), OURS, {}, OURS);
  popup.deliver(handOver(NONCE, handed), OURS, null, OURS);
  popup.deliver(handOver(NONCE, handed), OURS, popupSeen, OURS); // the window itself
  popup.deliver(handOver("f".repeat(32), handed), OURS, frameSeen, OURS);
  popup.deliver({ ...handOver(NONCE, handed), nonce: undefined }, OURS, frameSeen, OURS);
  assert.equal(frame.got.length, 1);
  end();
  assert.equal(await got, null);
});

test("the frame answers the window it has opened, at our origin, and nobody else", () => {
  const { frame, popup, popupSeen } = pair(), opened = new PayWindow(popupSeen, frame);
  opened.give(handed);
  frame.deliver(ready(NONCE), OURS, {}, OURS); // another window of ours, opened by somebody else
  frame.deliver(ready(NONCE), OURS, popupSeen, EVIL); // our window, which has gone on to another site
  frame.deliver({ ...ready(NONCE), nonce: "*" }, OURS, popupSeen, OURS);
  assert.equal(popup.got.length, 0);
  popup.origin = EVIL; // it asked, and went on before the answer
  frame.deliver(ready(NONCE), OURS, popupSeen, OURS);
  assert.equal(popup.got.length, 0);
  popup.origin = OURS;
  opened.forget();
  frame.deliver(ready(NONCE), OURS, popupSeen, OURS);
  assert.equal(popup.got.length, 0);
});

test("a hand-over is taken whole or not at all", async () => {
  const good = handOver(NONCE, handed) as Record<string, unknown>, { session } = handed;
  assert.deepEqual(readHandOver({ ...good, more: 1 }, NONCE), handed);
  assert.deepEqual(readHandOver({ ...good, access: null }, NONCE)?.access, null);
  const open = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"])) as CryptoKeyPair;
  const other = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, false, ["sign", "verify"])) as CryptoKeyPair;
  const bad: Record<string, unknown>[] = [
    { plateia: 2 }, { type: "pay-ready" }, { nonce: "" }, { order: "../events" }, { order: `${ID}/x` }, { order: undefined }, { event: 7 }, { access: {} as Access },
    { session: { ...session, sessionToken: "" } }, { session: { ...session, expiresAt: "soon" } }, { session: { ...session, account: null } },
    { session: { ...session, account: { accountId: "x", email: "x" } } }, { session: null },
    { keys: null }, { keys: { privateKey: {}, publicKey: {} } }, { keys: open }, { keys: other }, { keys: { privateKey: keys.publicKey, publicKey: keys.publicKey } },
  ];
  for (const part of bad) assert.equal(readHandOver({ ...good, ...part }, NONCE), null, JSON.stringify(part));
  assert.equal(readHandOver(good, ""), null);
  assert.equal(readHandOver(null, NONCE), null);
  assert.equal(readReady(ready(NONCE)), NONCE);
  assert.equal(readReady({ plateia: 1, type: "pay-ready", nonce: `${NONCE}0` }), null);
});

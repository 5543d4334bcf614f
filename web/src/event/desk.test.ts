import { test } from "node:test";
import assert from "node:assert/strict";
import type { Hold } from "../api/types.ts";
import { lasting } from "../base/storage.ts";
import { FREE, HELD, LOOK } from "../map/book.ts";
import { Desk, type Hall } from "./desk.ts";
import { hall as model } from "./sample-hall.ts";

const brl = (amount: number) => ({ amount, currency: "BRL" });
const hold = (ordinals: number[], expiresAt: number): Hold => ({
  holdId: "h", eventId: "e", state: "ACTIVE", expiresAt: new Date(expiresAt).toISOString(), hardExpiresAt: new Date(expiresAt).toISOString(),
  seats: ordinals.map((ordinal) => ({ seatId: `A-1-${ordinal}`, ordinal, section: "A", row: "1", seat: "1", category: "a", price: brl(100) })),
  total: brl(100), net: brl(100), tax: brl(0), lines: [], serverTime: new Date(0).toISOString(),
});

/** A page that has nothing but its seats. */
function page(): { desk: Desk; m: ReturnType<typeof model> } {
  const m = model(), hall = { id: "e", model: m, map: null, shop: null, told: {} } as unknown as Hall;
  return { desk: new Desk(hall), m };
}

test("held seats are not on sale at once, before the stream says so", () => {
  const { desk, m } = page();
  desk.set(hold([1, 2], 60_000));
  assert.deepEqual([m.book.status[1], m.book.look(1), m.book.look(3)], [HELD, LOOK.mine, LOOK.free]);
});

test("an answer about a hold that is older than the news of its end does not take its seats off the sale for good", () => {
  const { desk, m } = page();
  desk.set(hold([1], 60_000));
  m.book.apply([{ ordinal: 1, status: HELD }]); // the stream says so too
  m.book.apply([{ ordinal: 1, status: FREE }]); // and that it is over
  desk.set(hold([1], 50_000)); // asked for before that
  desk.set(null);
  assert.equal(m.book.look(1), LOOK.free);
});

test("without a network at the end of a payment's time nobody says that the seats are lost", async () => {
  lasting.set("plateia.session", JSON.stringify({ sessionToken: "s", expiresAt: new Date(Date.now() + 60_000).toISOString(), account: { accountId: "a", email: "a@example.com" } }));
  const m = model(), said: string[] = [], shop = { say: (_: string, text: string) => said.push(text), setHold() {}, changed() {} };
  const desk = new Desk({ id: "e", model: m, map: null, shop, told: {} } as unknown as Hall);
  desk.set({ ...hold([1], Date.now()), state: "PAYING", orderId: "o" });
  await desk.over(); // nobody answers here
  assert.deepEqual([said, desk.hold?.state], [[], "PAYING"]);
  desk.set(hold([1], Date.now()));
  await desk.over();
  assert.deepEqual([said.length, desk.hold], [1, null]);
  lasting.remove("plateia.session");
});

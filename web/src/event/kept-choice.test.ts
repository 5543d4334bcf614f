import { test } from "node:test";
import assert from "node:assert/strict";
import { SOLD } from "../map/book.ts";
import { dropLost, takeHold } from "../map/holding.ts";
import { keepChoice, recallChoice } from "./kept-choice.ts";
import type { EventModel } from "./model.ts";
import { hall } from "./sample-hall.ts";

const kept = new Map<string, string>(); // a browser's; there is none here
Object.assign(globalThis, { sessionStorage: { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => kept.set(k, v), removeItem: (k: string) => kept.delete(k) } });

/** The same event's page, loaded once more. */
function page(chart = "/v1/charts/c/1"): EventModel {
  const m = hall();
  Object.assign(m.detail, { eventId: "e", chart: { url: chart } });
  return m;
}

/** What a page that is left with this choice leaves behind. */
function left(change: (m: EventModel) => void, hold = ""): void {
  const m = page();
  change(m);
  keepChoice(m, hold);
}

const chosen = ({ book }: EventModel): unknown => [[...book.chosen], [...book.places]];

test("seats, places and filters outlive a reload, once", () => {
  left((m) => {
    m.book.chosen.add(2).add(3);
    m.book.places.set(1, 2);
    m.filter.set({ maxPrice: 20_000 });
  });
  const m = page();
  assert.deepEqual(recallChoice(m, ""), [2, 3]);
  assert.deepEqual([chosen(m), m.filter.wishes], [[[2, 3], [[1, 2]]], { maxPrice: 20_000 }]);
  m.book.chosen.clear();
  m.book.places.clear();
  keepChoice(m, "");
  m.filter.drop();
  recallChoice(m, "");
  assert.deepEqual(chosen(m), [[], []], "a panel that is made anew brings nothing back");
});

test("what was chosen for somebody who needs an accessible place is still theirs", () => {
  left((m) => {
    m.keep(0);
    m.filter.set({ accessible: true });
    m.book.chosen.add(5);
  });
  const m = page();
  m.keep(0);
  recallChoice(m, "");
  assert.deepEqual([dropLost(m.book), chosen(m)], [[], [[5], []]]);
});

test("what somebody else has by now is lost, not chosen", () => {
  left((m) => m.book.chosen.add(2).add(3));
  const m = page();
  m.book.apply([{ ordinal: 3, status: SOLD }]);
  recallChoice(m, "");
  assert.deepEqual([dropLost(m.book), chosen(m)], [[3], [[2], []]]);
});

test("an edited hold is edited still, while it is the same hold", () => {
  const edit = (m: EventModel): void => {
    takeHold(m.book, [1, 2]);
    m.book.chosen.delete(2);
    m.book.chosen.add(4);
  };
  left(edit, "h");
  const m = page();
  takeHold(m.book, [1, 2]);
  assert.deepEqual(recallChoice(m, "h"), [1, 2, 1, 4]);
  assert.deepEqual(chosen(m), [[1, 4], []]);

  left(edit, "h");
  const over = page();
  recallChoice(over, "");
  assert.deepEqual(chosen(over), [[], []], "the hold has ended meanwhile: the fan is told so, and asks anew");
});

test("another chart, an old visit, no choice and nonsense bring nothing", () => {
  left((m) => m.book.chosen.add(2));
  const other = page("/v1/charts/c/2");
  assert.deepEqual([recallChoice(other, ""), chosen(other)], [[], [[], []]]);

  left((m) => m.book.chosen.add(2));
  left(() => {});
  assert.equal(kept.get("plateia.choice.e") ?? null, null);

  kept.set("plateia.choice.e", "{}");
  assert.deepEqual(recallChoice(page(), ""), []);
});

test("a storage that is closed keeps nothing, and says nothing", () => {
  const { sessionStorage: open } = globalThis;
  Object.defineProperty(globalThis, "sessionStorage", { configurable: true, get: () => { throw new DOMException("denied", "SecurityError"); } });
  const m = page();
  m.book.chosen.add(2);
  keepChoice(m, "");
  assert.deepEqual(recallChoice(page(), ""), []);
  Object.defineProperty(globalThis, "sessionStorage", { configurable: true, value: open });
});

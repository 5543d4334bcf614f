import { test } from "node:test";
import assert from "node:assert/strict";
import { HELD, SeatBook } from "./book.ts";
import { dropLost } from "./holding.ts";
import type { Chart } from "./geometry.ts";
import { nearestLike } from "./nearest.ts";
import { bowl } from "./sample-chart.ts";

/** Two sections of three straight rows of ten seats, the second far away. */
function house(): { chart: Chart; book: SeatBook; take: (...seats: number[]) => void } {
  const chart = { ...bowl(1, 2, 3, 10), pitch: 1 };
  for (let o = 0; o < chart.seats; o++) [chart.x[o], chart.y[o]] = [o % 10 + (chart.section[o] ? 100 : 0), chart.row[o] % 3];
  const book = new SeatBook(chart);
  book.snapshot(new Uint8Array(chart.seats));
  return { chart, book, take: (...seats) => void book.apply(seats.map((ordinal) => ({ ordinal, status: HELD }))) };
}

/** Somebody takes these seats of a choice. */
function lose(h: ReturnType<typeof house>, chosen: number[], lost: number[], price: (o: number) => number = () => 100) {
  for (const o of chosen) h.book.chosen.add(o);
  h.take(...lost);
  dropLost(h.book);
  return nearestLike(h.book, price, lost, [...h.book.chosen]);
}

test("one of three: the free seat at the other end of the rest", () => {
  assert.deepEqual(lose(house(), [4, 5, 6], [6]), { take: [3], leave: [] });
});

test("all of them: a run as long, in the nearest row", () => {
  const got = lose(house(), [4, 5, 6], [4, 5, 6])!;
  assert.deepEqual([got.take.length, got.leave, Math.floor(got.take[0] / 10)], [3, [], 1]);
  assert.deepEqual(got.take, [14, 15, 16]);
});

test("nothing beside the rest: the whole party moves, and stays together", () => {
  const h = house();
  h.take(3, 7);
  const got = lose(h, [4, 5, 6], [5])!;
  assert.deepEqual([got.leave, got.take], [[4, 6], [14, 15, 16]]);
});

test("never dearer, never another kind of seat", () => {
  const h = house();
  for (const o of [14, 15, 16]) h.chart.flags[o] = 1;
  const got = lose(h, [4, 5, 6], [4, 5, 6], (o) => (o < 10 || o >= 20 ? 100 : 101))!;
  assert.ok(got.take.every((o) => o < 10 || o >= 20));
  assert.deepEqual(got.take, [24, 25, 26]);
});

test("an accessible place for an accessible place", () => {
  const h = house();
  h.chart.flags[5] = h.chart.flags[25] = 1;
  assert.deepEqual(lose(h, [5], [5])!.take, [25]);
});

test("not over an aisle", () => {
  const h = house();
  for (let o = 0; o < 30; o++) if (o % 10 >= 5) h.chart.x[o]! += 2;
  const got = lose(h, [3, 4], [3])!;
  assert.deepEqual([got.take, got.leave], [[13, 14], [4]]); // beside 4 there is an aisle, and on its other side somebody
});

test("rather no single seat left behind", () => {
  const h = house();
  h.take(1, 9); // 2 3 | 4 5 6 are lost | 7 8: only 2 3 would leave nobody single, but is as far as 7 8
  h.take(2);
  assert.deepEqual(lose(h, [4, 5], [5]), { take: [3], leave: [] });
});

test("the other section when this one is full, and nothing when all is", () => {
  const h = house();
  h.take(...Array.from({ length: 30 }, (_, o) => o).filter((o) => o !== 4));
  assert.ok(lose(h, [4], [4])!.take[0] >= 30);
  h.take(...Array.from({ length: 30 }, (_, o) => o + 30));
  assert.equal(nearestLike(h.book, () => 1, [4], []), null);
  assert.equal(nearestLike(h.book, () => 1, [], []), null);
});

test("of 60,000 seats each is looked at a few times at most", () => {
  const chart = bowl(), book = new SeatBook(chart);
  book.snapshot(new Uint8Array(chart.seats));
  book.apply([{ ordinal: 30_000, status: HELD }]);
  let looks = 0; // not seconds: those are the machine's
  nearestLike(book, () => (looks++, 1), [30_000], []);
  assert.ok(looks >= chart.seats && looks <= 4 * chart.seats, `${looks} looks at ${chart.seats} seats`);
});

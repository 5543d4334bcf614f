import { test } from "node:test";
import assert from "node:assert/strict";
import { FREE, HELD, LOOK, SeatBook, SOLD } from "./book.ts";
import { choosePlaces, dropLost, dropLostPlaces, isEdited, isHolding, roomIn, takeHold, undoChoice } from "./holding.ts";
import { bowl } from "./sample-chart.ts";

const fresh = (): SeatBook => {
  const book = new SeatBook(bowl(1, 4, 2, 5));
  book.snapshot(new Uint8Array(40));
  return book;
};

test("counts follow snapshots and changes", () => {
  const book = fresh();
  assert.equal(book.totalFree, 40);
  book.apply([{ ordinal: 0, status: HELD }, { ordinal: 11, status: SOLD }, { ordinal: 0, status: FREE }, { ordinal: 0, status: HELD }]);
  assert.deepEqual([...book.free], [9, 9, 10, 10]);
  assert.equal(book.totalFree, 38);
});

test("the same changes twice answer that nothing changed (case 23)", () => {
  const book = fresh();
  const changes = [{ ordinal: 3, status: HELD }, { ordinal: 4, status: HELD }];
  assert.deepEqual(book.apply(changes), [3, 4]);
  assert.deepEqual(book.apply(changes), []);
});

test("a snapshot of a run of seats leaves the others alone", () => {
  const book = fresh();
  book.snapshot(new Uint8Array(10).fill(SOLD), 10);
  assert.deepEqual([...book.free], [10, 0, 10, 10]);
});

test("a seat beyond the chart is refused", () => {
  assert.throws(() => fresh().apply([{ ordinal: 40, status: HELD }]), RangeError);
  assert.throws(() => fresh().apply([{ ordinal: -1, status: HELD }]), RangeError);
});

test("own held seats are mine, not taken, also when the stream says held (case 11)", () => {
  const book = fresh();
  takeHold(book, [1, 2]);
  book.apply([{ ordinal: 1, status: HELD }, { ordinal: 2, status: HELD }]);
  assert.equal(book.look(1), LOOK.mine);
  assert.deepEqual(dropLost(book), []);
  book.chosen.delete(2);
  assert.equal(book.look(2), LOOK.leaving);
  assert.ok(isEdited(book));
});

test("chosen seats that somebody takes leave the choice, the rest stays", () => {
  const book = fresh();
  for (const o of [5, 6, 7]) book.chosen.add(o);
  book.apply([{ ordinal: 6, status: HELD }]);
  assert.deepEqual(dropLost(book), [6]);
  assert.deepEqual([...book.chosen], [5, 7]);
  assert.equal(book.look(6), LOOK.held);
});

test("a hold that ends gives the seats back to the stream", () => {
  const book = fresh();
  takeHold(book, [1]);
  assert.deepEqual(takeHold(book, []), [1]);
  assert.equal(book.look(1), LOOK.free);
});

/** Four sections of ten seats, the last one an area without numbered seats. */
const withArea = (): SeatBook => {
  const chart = bowl(1, 4, 2, 5);
  chart.sections[3].general = true;
  const book = new SeatBook(chart);
  book.snapshot(new Uint8Array(40));
  return book;
};

test("places of an area are counted, not named: chosen, held, edited", () => {
  const book = withArea();
  book.chosen.add(0);
  choosePlaces(book, 3, 2);
  assert.equal(book.size, 3);
  book.apply([0, 31, 35].map((ordinal) => ({ ordinal, status: HELD })));
  takeHold(book, [0, 31, 35]);
  assert.deepEqual([[...book.chosen], [...book.places], isEdited(book), isHolding(book)], [[0], [[3, 2]], false, true]);
  assert.equal(roomIn(book, 3), 10); // eight free ones and two of one's own
  choosePlaces(book, 3, 1);
  assert.ok(isEdited(book));
  undoChoice(book);
  assert.ok(!isEdited(book));
  takeHold(book, []);
  assert.deepEqual([book.size, isHolding(book)], [0, false]);
});

test("places that others took leave the choice, the rest stays", () => {
  const book = withArea();
  choosePlaces(book, 3, 4);
  book.apply([30, 31, 32, 33, 34, 35, 36].map((ordinal) => ({ ordinal, status: SOLD })));
  assert.deepEqual(dropLostPlaces(book), [3]);
  assert.equal(book.places.get(3), 3);
  assert.deepEqual(dropLostPlaces(book), []);
});

test("kept seats can be chosen once the fan has asked", () => {
  const book = fresh();
  book.chart.flags[4] = 1;
  book.chart.flags[5] = 2;
  book.kept = true;
  assert.deepEqual([3, 4, 5].map((o) => book.choosable(o)), [true, false, false]);
  book.kept = false;
  assert.deepEqual([3, 4, 5].map((o) => book.choosable(o)), [true, true, true]);
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { HELD } from "../map/book.ts";
import { dropLost } from "../map/holding.ts";
import { lostOf, takenText } from "./lost.ts";
import { hall } from "./sample-hall.ts";

test("lost seats are named, and the rest is promised only when there is one", () => {
  assert.match(takenText(["Section A, row 1, seat 2"], 1), /^Section A, row 1, seat 2 was taken/);
  assert.match(takenText(["A", "B"], 2), /^A; B were taken/);
  assert.match(takenText(["A"], 0), /Somebody was faster/);
});

test("the nearest seats like the lost ones are offered by name, all of a row once", () => {
  const m = hall();
  m.book.chosen.add(1).add(2);
  m.book.apply([{ ordinal: 1, status: HELD }]);
  const { text, instead } = lostOf(m, dropLost(m.book), []);
  assert.match(text, /^Section A, row 1, seat 2 was taken/);
  assert.deepEqual([instead!.take, instead!.leave], [[3], []]);
  assert.match(instead!.label, /Section A, row 1, seat 4/);
  m.book.apply([{ ordinal: 2, status: HELD }]);
  dropLost(m.book);
  m.book.chosen.clear();
  assert.match(lostOf(m, [1, 2], []).instead!.label, /row 2, seats 3, 4/);
});

test("seats of another price are offered with what each is shown to cost; what an order has once is not in it", () => {
  const m = hall(), brl = (amount: number) => ({ amount, currency: "BRL" });
  m.detail.rules.fees = [{ name: "service", per: "percent", rate: 1000 }, { name: "order", per: "order", amount: brl(900) }];
  m.chart.category.fill(1, 0, 5);
  m.renew({ ...m.detail, categories: m.detail.categories.map((c, i) => ({ ...c, price: brl(i === 1 ? 10_000 : 8000) })) });
  m.chart.category.fill(0, 2, 5);
  m.book.chosen.add(1);
  for (const ordinal of [0, 1]) m.book.apply([{ ordinal, status: HELD }]);
  assert.match(lostOf(m, dropLost(m.book), []).instead!.label, /\(R\$88\.00\)/);
});

test("places of an area have none like them", () => {
  assert.deepEqual(lostOf(hall(), [], [1]), { text: takenText(["Standing"], 0) });
});

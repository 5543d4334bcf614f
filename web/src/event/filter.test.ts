import { test } from "node:test";
import assert from "node:assert/strict";
import { HELD } from "../map/book.ts";
import { bowl } from "../map/sample-chart.ts";
import { SeatBook } from "../map/book.ts";
import type { EventDetail, Fee } from "../api/types.ts";
import { EventModel } from "./model.ts";
import { hall } from "./sample-hall.ts";

/** Three tiers of four wedges; category A is the cheapest. */
function stadium(fees: Fee[] = []): EventModel {
  const chart = bowl(3, 4, 2, 5);
  const categories = chart.categories.map((c, index) => ({ ...c, index, price: { amount: 1000 * (index + 1), currency: "BRL" } }));
  const book = new SeatBook(chart);
  book.snapshot(new Uint8Array(chart.seats));
  return new EventModel({ currency: "BRL", categories, rules: { maxPerAccount: 6, fees } } as unknown as EventDetail, chart, book);
}

const fitting = (m: EventModel): number[] => Array.from({ length: m.chart.seats }, (_, o) => o).filter((o) => !m.book.faint(o) && m.book.choosable(o));

test("without wishes every seat fits, and nothing is asked for", () => {
  const m = stadium();
  assert.equal(m.book.wanted, null);
  assert.deepEqual([m.filter.count, m.filter.active, m.filter.query()], [120, [], {}]);
});

test("price and section narrow map, count and best-available alike", () => {
  const m = stadium();
  m.filter.set({ maxPrice: 2000, sections: ["101", "201"] });
  assert.deepEqual(fitting(m).map((o) => m.chart.sections[m.chart.section[o]].label).filter((s, i, all) => s !== all[i - 1]), ["101", "201"]);
  assert.ok(fitting(m).every((o) => m.priceOf(o).amount <= 2000));
  assert.equal(m.filter.count, fitting(m).length);
  assert.deepEqual(m.filter.query(), { maxPrice: { amount: 2000, currency: "BRL" }, sections: ["101", "201"] });
  assert.deepEqual(m.filter.active, ["price", "sections"]);
  m.filter.drop("price");
  assert.deepEqual(m.filter.query(), { sections: ["101", "201"] });
  m.filter.drop();
  assert.equal(m.filter.count, 120);
});

test("prices are compared as they are shown, with fees; best-available is asked without", () => {
  const m = stadium([{ name: "service", per: "percent", rate: 1000 }, { name: "print", per: "ticket", amount: { amount: 250, currency: "BRL" } },
    { name: "order", per: "order", amount: { amount: 900, currency: "BRL" } }]);
  const fit = (): number[] => [...new Set(fitting(m).map((o) => m.priceOf(o).amount))].sort();
  m.filter.set({ maxPrice: 2450 }); // what a seat of 20.00 is shown as
  assert.deepEqual([fit(), m.filter.query()], [[1000, 2000], { maxPrice: { amount: 2000, currency: "BRL" } }]);
  m.filter.set({ maxPrice: 2449 });
  assert.deepEqual([fit(), m.filter.query()], [[1000], { maxPrice: { amount: 1999, currency: "BRL" } }]);
  m.filter.set({ maxPrice: undefined, minPrice: 2451 });
  assert.deepEqual([fit(), m.filter.query()], [[3000], { categories: ["C", "D"] }]);
  m.filter.drop();
  m.filter.limit({ maxPrice: 3549 });
  assert.deepEqual([fit(), m.filter.query().maxPrice!.amount], [[1000, 2000], 2999]);
  assert.deepEqual(m.sectionPrices(0).map((p) => p.amount), [1350, 1350]);
});

test("chosen categories are asked for by name, and a lowest price too", () => {
  const m = stadium();
  m.filter.set({ categories: ["B"] });
  assert.deepEqual(m.filter.query(), { categories: ["B"] });
  assert.ok(fitting(m).every((o) => m.chart.category[o] === 1));
  m.filter.set({ categories: [], minPrice: 3000 });
  assert.deepEqual(m.filter.query(), { categories: ["C", "D"] });
});

test("the count follows the seats that fit only", () => {
  const m = stadium();
  m.filter.set({ sections: ["101"] });
  assert.equal(m.filter.count, 10);
  m.book.apply([{ ordinal: 0, status: HELD }, { ordinal: 119, status: HELD }]);
  assert.equal(m.filter.count, 9);
  assert.equal(m.book.totalFree, 118);
  m.filter.drop();
  assert.equal(m.filter.count, 118);
});

test("far away a section has the colour of what fits in it, or none", () => {
  const m = stadium();
  m.filter.set({ categories: ["A"] });
  m.chart.sections.forEach((s, i) => assert.equal(m.book.hue[i], s.category === 0 ? 0 : -1));
});

test("limits cannot be lifted by the fan", () => {
  const m = stadium();
  m.filter.limit({ sections: ["101", "102"], maxPrice: 3000 });
  assert.deepEqual(m.filter.active, []);
  m.filter.set({ sections: ["102", "301"] });
  assert.deepEqual(m.filter.query().sections, ["102"]);
  m.filter.drop();
  assert.deepEqual(m.filter.query(), { sections: ["101", "102"], maxPrice: { amount: 3000, currency: "BRL" } });
  assert.equal(m.filter.count, fitting(m).length);
});

test("what is in the way is known when nothing fits", () => {
  const m = stadium();
  m.book.apply(fitting(m).filter((o) => m.chart.section[o] === 0).map((ordinal) => ({ ordinal, status: HELD })));
  m.filter.set({ sections: ["101"], maxPrice: 4000 });
  assert.equal(m.filter.count, 0);
  assert.equal(m.filter.countWithout("sections"), 110);
  assert.equal(m.filter.countWithout("price"), 0);
});

test("kept seats fit nobody but those who need one; company sits in their row", () => {
  const m = hall();
  m.keep(0);
  assert.ok(m.book.faint(5) && m.book.keptFrom(5) && m.filter.count === 12);
  m.filter.set({ accessible: true });
  assert.deepEqual(fitting(m), [5, 6]);
  assert.equal(m.book.keptFrom(5), false);
  assert.deepEqual([m.filter.offersRow(0), m.filter.offersRow(1)], [false, true]);
  assert.deepEqual([m.filter.offers(0), m.filter.offers(7)], [false, true]);
  assert.deepEqual(m.filter.query(), { accessible: true });
  m.filter.drop("accessible");
  assert.ok(m.book.keptFrom(5));
});

test("everybody who watches hears of every change until they stop", () => {
  const m = stadium(), heard: number[] = [];
  const stop = m.filter.watch(() => heard.push(m.filter.count));
  m.filter.set({ sections: ["101"] });
  stop();
  m.filter.drop();
  assert.deepEqual(heard, [10]);
});

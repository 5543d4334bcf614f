import type { EventDetail } from "../api/types.ts";
import { SeatBook } from "../map/book.ts";
import { ACCESSIBLE, type Chart, COMPANION } from "../map/geometry.ts";
import { bowl } from "../map/sample-chart.ts";
import { EventModel } from "./model.ts";

/**
 * A made-up hall for tests, all free: section A with two rows of five seats (A-2-1 accessible, A-2-2 its companion) and
 * the area "Standing" with four places. Every place costs 100.00. Not shipped: no page imports it.
 */
export function hall(): EventModel {
  const chart: Chart = { ...bowl(1, 2, 2, 5), seats: 14 };
  const [a, standing] = chart.sections;
  Object.assign(a, { label: "A", name: "A" });
  Object.assign(standing, { label: "ST", name: "Standing", from: 10, to: 14, general: true, rowTo: 3 });
  chart.rows.length = 3;
  Object.assign(chart.rows[2], { from: 10, to: 14 });
  chart.flags[5] = ACCESSIBLE;
  chart.flags[6] = COMPANION;
  for (let o = 10; o < 14; o++) chart.row[o] = 2;
  chart.label = (o) => `${chart.sections[chart.section[o]].label}-${chart.rows[chart.row[o]].label}-${chart.number(o)}`;
  const price = { amount: 10_000, currency: "BRL" };
  const detail = {
    currency: "BRL", timeZone: "UTC", categories: chart.categories.map((c, index) => ({ ...c, index, price })),
    rules: { maxPerAccount: 6 },
  } as unknown as EventDetail;
  const book = new SeatBook(chart);
  book.snapshot(new Uint8Array(14));
  return new EventModel(detail, chart, book);
}

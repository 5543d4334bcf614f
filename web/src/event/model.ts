import type { Category, EventDetail, Money } from "../api/types.ts";
import { t } from "./words.ts";
import { LOOK, type Look, type SeatBook } from "../map/book.ts";
import type { Chart } from "../map/geometry.ts";

/** An event with its chart and live seats: the questions that every part of the page asks. */
export class EventModel {
  readonly detail: EventDetail;
  readonly chart: Chart;
  readonly book: SeatBook;
  readonly #byIndex: Map<number, Category>;

  constructor(detail: EventDetail, chart: Chart, book: SeatBook) {
    this.detail = detail;
    this.chart = chart;
    this.book = book;
    this.#byIndex = new Map(detail.categories.map((c) => [c.index, c]));
  }

  get max(): number {
    return this.detail.rules.maxPerAccount;
  }

  priceOf(o: number): Money {
    return this.categoryPrice(this.chart.category[o]);
  }

  categoryPrice(category: number): Money {
    return this.#byIndex.get(category)?.price ?? { amount: 0, currency: this.detail.currency };
  }

  /** "Section 110, row 4, seat 12", in words. */
  seatName(o: number): string {
    return t("seatName", { section: this.sectionLabel(o), row: this.rowLabel(o), seat: this.chart.number(o) });
  }

  sectionLabel(o: number): string {
    return this.chart.sections[this.chart.section[o]].label;
  }

  rowLabel(o: number): string {
    return this.chart.rows[this.chart.row[o]].label;
  }

  stateName(look: Look): string {
    switch (look) {
      case LOOK.free: return t("stateFree");
      case LOOK.held: return t("stateHeld");
      case LOOK.sold: return t("stateSold");
      case LOOK.blocked: return t("stateBlocked");
      case LOOK.mine: return t("stateMine");
      case LOOK.chosen: return t("stateChosen");
      case LOOK.leaving: return t("stateMine");
    }
  }

  /** The place's kind in words, or "". */
  kindName(o: number): string {
    const flags = this.chart.flags[o];
    return flags & 1 ? t("accessible") : flags & 2 ? t("companion") : "";
  }

  /** Lowest and highest price among a section's seats. */
  sectionPrices(section: number): [Money, Money] {
    const { from, to } = this.chart.sections[section];
    const seen = new Set<number>();
    for (let o = from; o < to; o++) seen.add(this.chart.category[o]);
    const prices = [...seen].map((c) => this.categoryPrice(c)).sort((a, b) => a.amount - b.amount);
    return [prices[0] ?? this.categoryPrice(-1), prices[prices.length - 1] ?? this.categoryPrice(-1)];
  }

  total(ordinals: Iterable<number>): Money {
    let amount = 0;
    for (const o of ordinals) amount += this.priceOf(o).amount;
    return { amount, currency: this.detail.currency };
  }

  /** Seats the fan may choose in a run of ordinals. */
  choosable(from: number, to: number): number[] {
    const free: number[] = [];
    for (let o = from; o < to; o++) if (this.book.choosable(o)) free.push(o);
    return free;
  }
}

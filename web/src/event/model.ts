import type { Category, EventDetail, Money } from "../api/types.ts";
import { sectionName } from "../i18n/format.ts";
import { allIn, beforeFees, type Cost, costOf } from "./pricing.ts";
import { Filter } from "./filter.ts";
import { keepsSeats } from "./wanted.ts";
import { t } from "./words.ts";
import { LOOK, type Look, type SeatBook } from "../map/book.ts";
import { ACCESSIBLE, type Chart, COMPANION } from "../map/geometry.ts";

/** An event with its chart and live seats: the questions that every part of the page asks. */
export class EventModel {
  detail: EventDetail;
  readonly chart: Chart;
  readonly book: SeatBook;
  /** Sections without numbered seats. */
  readonly areas: readonly number[];
  /** Whether there are seats for people who need an accessible one. */
  readonly hasAccessible: boolean;
  /** Whether accessible seats are kept for those who say that they need one. */
  kept = false;
  /** What the fan looks for. */
  readonly filter: Filter;
  readonly #byLabel = new Map<string, number>(); // made when first needed
  #byIndex: Map<number, Category>;

  constructor(detail: EventDetail, chart: Chart, book: SeatBook) {
    this.detail = detail;
    this.chart = chart;
    this.book = book;
    this.areas = chart.sections.flatMap((s, i) => (s.general ? [i] : []));
    this.hasAccessible = chart.flags.some((f) => (f & ACCESSIBLE) !== 0);
    this.#byIndex = byIndex(detail);
    this.filter = new Filter(this);
  }

  /** The event's prices or rules are news. */
  renew(detail: EventDetail): void {
    this.detail = detail;
    this.#byIndex = byIndex(detail);
    this.filter.renew();
  }

  /** Works out whether accessible seats are still kept for those who ask. now: ms, the server's. */
  keep(now: number): void {
    this.kept = keepsSeats(this.detail, this.chart, now);
    this.filter.renew();
  }

  get max(): number {
    return this.detail.rules.maxPerAccount;
  }

  /** A seat's price without fees, as the API means it. */
  priceOf(o: number): Money {
    return this.categoryPrice(this.chart.category[o]);
  }

  categoryPrice(category: number): Money {
    return this.#byIndex.get(category)?.price ?? { amount: 0, currency: this.detail.currency };
  }

  /** A price as it is shown wherever it stands alone: with the fees that come with a seat. */
  shown(price: Money): Money {
    return allIn(this.detail.rules, price);
  }

  /** The other way: a highest price that the fan has chosen among those shown, as the API means it. */
  asked(highest: number): Money {
    return beforeFees(this.detail.rules, this.money(highest));
  }

  /** The seat with this public id, or -1. */
  ordinal(id: string): number {
    if (this.#byLabel.size === 0) for (let o = 0; o < this.chart.seats; o++) this.#byLabel.set(this.chart.label(o), o);
    return this.#byLabel.get(id) ?? -1;
  }

  /** The section with this label, or -1. */
  sectionOf(label: string): number {
    return this.chart.sections.findIndex((s) => s.label === label);
  }

  areaName(section: number): string {
    return this.chart.sections[section].name;
  }

  /** A section or an area as it is called in a sentence of its own. */
  sectionName(section: number): string {
    const { name, general } = this.chart.sections[section];
    return general ? name : sectionName(name, (section) => t("sectionName", { section }));
  }

  areaPrice(section: number): Money {
    return this.categoryPrice(this.chart.sections[section].category);
  }

  /** Numbered seats in their order, and how many places of each area, among some ordinals. */
  sorted(ordinals: readonly number[]): { seats: number[]; areas: Map<number, number> } {
    const seats: number[] = [], areas = new Map<number, number>();
    for (const o of ordinals) {
      const section = this.chart.section[o];
      if (this.chart.sections[section].general) areas.set(section, (areas.get(section) ?? 0) + 1);
      else seats.push(o);
    }
    return { seats: seats.sort((a, b) => a - b), areas };
  }

  /** "Section 110, row 4, seat 12", in words; a place of an area has the area's name only. */
  seatName(o: number): string {
    const section = this.sectionName(this.chart.section[o]);
    return this.chart.sections[this.chart.section[o]].general ? section : t("seatName", { section, row: this.rowLabel(o), seat: this.chart.number(o) });
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
    return flags & ACCESSIBLE ? t("accessible") : flags & COMPANION ? t("companion") : "";
  }

  /** Lowest and highest price among a section's seats, as they are shown. */
  sectionPrices(section: number): [Money, Money] {
    const { from, to } = this.chart.sections[section];
    const seen = new Set<number>();
    for (let o = from; o < to; o++) seen.add(this.chart.category[o]);
    const prices = [...seen].map((c) => this.shown(this.categoryPrice(c))).sort((a, b) => a.amount - b.amount);
    return [prices[0] ?? this.money(0), prices[prices.length - 1] ?? this.money(0)];
  }

  /** What a choice costs with fees and tax, as the server works it out. */
  cost(ordinals: Iterable<number>, places: Iterable<[number, number]> = []): Cost {
    let prices = 0, seats = 0;
    for (const o of ordinals) prices += this.priceOf(o).amount, seats++;
    for (const [section, n] of places) prices += n * this.areaPrice(section).amount, seats += n;
    return costOf(this.detail.rules, seats, prices);
  }

  total(ordinals: Iterable<number>, places: Iterable<[number, number]> = []): Money {
    return this.money(this.cost(ordinals, places).total);
  }

  money(amount: number): Money {
    return { amount, currency: this.detail.currency };
  }

  /** The companion seats beside an accessible one that the fan may choose. */
  companions(o: number): number[] {
    const { flags, row } = this.chart;
    if (!(flags[o] & ACCESSIBLE)) return [];
    return [o - 1, o + 1].filter((c) => row[c] === row[o] && (flags[c] & COMPANION) !== 0 && this.book.choosable(c) && !this.book.chosen.has(c));
  }

  /** What a seat that cannot be chosen is, in words. */
  whyNot(o: number): string {
    const look = this.book.look(o);
    return look === LOOK.free && this.book.keptFrom(o) ? t("stateKept") : this.stateName(look);
  }

  /** Seats the fan may choose in a run of ordinals. */
  choosable(from: number, to: number): number[] {
    const free: number[] = [];
    for (let o = from; o < to; o++) if (this.book.choosable(o)) free.push(o);
    return free;
  }
}

const byIndex = (detail: EventDetail): Map<number, Category> => new Map(detail.categories.map((c) => [c.index, c]));

import type { Money } from "../api/types.ts";
import { FREE } from "../map/book.ts";
import type { EventModel } from "./model.ts";
import { priced, wantedSeats, type Wishes } from "./wanted.ts";

export type { Wishes } from "./wanted.ts";

/** The wishes a fan can take back one by one. */
export type Wish = "price" | "sections" | "accessible";

/** A wish as best-available is asked for it: with the highest price before fees. */
export interface WishQuery { categories?: string[]; sections?: string[]; maxPrice?: Money; accessible?: boolean }

/**
 * What the fan looks for, once for map, lists and best-available: what does not fit is faint on the map, left out of
 * the lists and not asked for. Beside it there are limits, which the page around sets and the fan cannot lift.
 */
export class Filter {
  readonly #model: EventModel;
  readonly #told = new Set<() => void>();
  #wishes: Wishes = {};
  #limits: Wishes = {};
  #company: Uint8Array | null = null; // seats that fit but for not being accessible: for whoever comes along

  constructor(model: EventModel) {
    this.#model = model;
    this.#apply();
  }

  get wishes(): Wishes {
    return this.#wishes;
  }

  /** Wishes that are given replace those of their name; undefined takes one back. */
  set(wishes: Wishes): void {
    this.#wishes = known({ ...this.#wishes, ...wishes });
    this.#apply();
  }

  /** Takes one wish back, or all. */
  drop(wish?: Wish): void {
    this.#wishes = wish ? without(this.#wishes, wish) : {};
    this.#apply();
  }

  /** What can be had here at all. */
  limit(limits: Wishes): void {
    this.#limits = known(limits);
    this.#apply();
  }

  /** Prices or rules have changed, or who may have kept seats. */
  renew(): void {
    this.#apply();
  }

  /** Runs after every change, until the answer is called. */
  watch(run: () => void): () => void {
    this.#told.add(run);
    return () => this.#told.delete(run);
  }

  /** The fan's wishes that leave something out. */
  get active(): Wish[] {
    return (["price", "sections", "accessible"] as const).filter((wish) => has(this.#wishes, wish));
  }

  /** Seats that fit and that this fan may have now. */
  get count(): number {
    return this.#model.book.totalOpen;
  }

  /** How many would fit without one of the wishes, by section. */
  countsWithout(wish: Wish): Int32Array {
    const { book, chart } = this.#model, mask = this.#mask(without(this.#wishes, wish));
    const counts = new Int32Array(chart.sections.length);
    for (let o = 0; o < chart.seats; o++) if (book.status[o] === FREE && (mask === null || mask[o] === 1)) counts[chart.section[o]]++;
    return counts;
  }

  countWithout(wish: Wish): number {
    return this.countsWithout(wish).reduce((sum, n) => sum + n, 0);
  }

  /** Whether lists offer this row: for whoever needs an accessible place, one that has some; their company sits in it too. */
  offersRow(row: number): boolean {
    const { book, chart } = this.#model, { from, to } = chart.rows[row];
    if (book.wanted === null) return true;
    for (let o = from; o < to; o++) if (book.wanted[o] === 1 && book.choosable(o)) return true;
    return false;
  }

  /** Whether lists offer this seat. */
  offers(o: number): boolean {
    const { book, chart } = this.#model;
    return book.wanted === null || book.wanted[o] === 1 || (this.#accessible && this.#company?.[o] !== 0 && this.offersRow(chart.row[o]));
  }

  get #accessible(): boolean {
    return this.#wishes.accessible === true || this.#limits.accessible === true;
  }

  /** The same for best-available. */
  query(): WishQuery {
    const w = this.#wishes, { categories } = this.#model.detail;
    const sections = both(w.sections, this.#limits.sections), wanted = categories.filter((c) => priced(this.#model.detail, c, [w, this.#limits]));
    const byCategory = wanted.length < categories.length && (w.categories ?? this.#limits.categories ?? w.minPrice ?? this.#limits.minPrice) !== undefined;
    const maxPrice = least(w.maxPrice, this.#limits.maxPrice);
    return {
      ...(byCategory && { categories: wanted.map((c) => c.key) }),
      ...(sections && { sections: [...sections] }),
      ...(maxPrice !== undefined && { maxPrice: this.#model.asked(maxPrice) }),
      ...(this.#accessible && { accessible: true }),
    };
  }

  #apply(): void {
    const { book, kept } = this.#model;
    book.kept = kept && !this.#accessible;
    this.#company = this.#accessible ? this.#mask(this.#wishes, false) : null;
    book.want(this.#mask(this.#wishes));
    for (const run of this.#told) run();
  }

  /** Which seats fit, 1 or 0 by ordinal; null: all. */
  #mask(wishes: Wishes, only = wishes.accessible === true || this.#limits.accessible === true): Uint8Array | null {
    const { chart, detail, kept } = this.#model;
    return wantedSeats(detail, chart, [wishes, this.#limits], only ? "only" : kept && !this.#accessible ? "never" : "any");
  }
}

/** Wishes without those that say nothing: an empty list leaves nothing out. */
function known(w: Wishes): Wishes {
  return {
    ...(w.categories?.length && { categories: w.categories }), ...(w.sections?.length && { sections: w.sections }),
    ...(w.minPrice !== undefined && { minPrice: w.minPrice }), ...(w.maxPrice !== undefined && { maxPrice: w.maxPrice }),
    ...(w.accessible && { accessible: true }),
  };
}

function without(w: Wishes, wish: Wish): Wishes {
  if (wish === "price") return known({ ...w, categories: undefined, minPrice: undefined, maxPrice: undefined });
  return known({ ...w, [wish]: undefined });
}

const has = (w: Wishes, wish: Wish): boolean =>
  wish === "price" ? (w.categories ?? w.minPrice ?? w.maxPrice) !== undefined : w[wish] !== undefined;

/** What is in both lists; a list that is not given has everything. */
const both = (a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined =>
  a && b ? a.filter((x) => b.includes(x)) : a ?? b;

const least = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? a ?? b : Math.min(a, b);

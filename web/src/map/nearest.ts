import type { SeatBook } from "./book.ts";
import type { Chart } from "./geometry.ts";

const AISLE = 1.6; // distances usual in a row from which two seats of a row have an aisle between them, as core/seatmap says
const ELSEWHERE = 12; // pitches of walking that another section counts as
const LEAVES_ONE = 6; // a single seat left beside the new ones: the server may refuse that

/** Seats to take for those that were lost, and those of the choice to give up so that all sit together. */
export interface Instead { take: number[]; leave: number[] }

/**
 * The nearest seats like lost ones: no dearer than those, together with what is left of the choice (rest), and free.
 * First beside the rest, then a run of seats for the whole party; null when there is nothing like them.
 */
export function nearestLike(book: SeatBook, price: (o: number) => number, lost: readonly number[], rest: readonly number[]): Instead | null {
  if (lost.length === 0) return null;
  const search = new Search(book, price, lost, rest);
  return search.beside() ?? search.together();
}

class Search {
  readonly #book: SeatBook;
  readonly #chart: Chart;
  readonly #price: (o: number) => number;
  readonly #most: number; // price
  readonly #kind: number; // flags of the lost seats: an accessible place is for an accessible place
  readonly #x: number;
  readonly #y: number;
  readonly #home: number; // section
  readonly #lost: readonly number[];
  readonly #rest: ReadonlySet<number>;
  readonly #pitches = new Map<number, number>(); // by row

  constructor(book: SeatBook, price: (o: number) => number, lost: readonly number[], rest: readonly number[]) {
    const chart = (this.#chart = book.chart);
    this.#book = book;
    this.#price = price;
    this.#lost = lost;
    this.#rest = new Set(rest);
    this.#most = Math.max(...lost.map(price));
    this.#kind = lost.reduce((kind, o) => kind | chart.flags[o], 0);
    this.#x = lost.reduce((sum, o) => sum + chart.x[o], 0) / lost.length;
    this.#y = lost.reduce((sum, o) => sum + chart.y[o], 0) / lost.length;
    this.#home = chart.section[lost[0]];
  }

  /** Seats that touch what is left of the choice, one after the other. */
  beside(): Instead | null {
    const mine = new Set(this.#rest), take: number[] = [];
    while (take.length < this.#lost.length) {
      const edge = [...mine].flatMap((o) => [o - 1, o + 1]).filter((o) => !mine.has(o) && this.#fits(o) && (this.#next(o, o - 1, mine) || this.#next(o, o + 1, mine)));
      if (edge.length === 0) return null;
      const best = edge.reduce((a, b) => (this.#cost(b, mine) < this.#cost(a, mine) ? b : a));
      mine.add(best);
      take.push(best);
    }
    return { take: take.sort((a, b) => a - b), leave: [] };
  }

  /** A run of seats for everybody, the nearest; seats of the rest may be among them. */
  together(): Instead | null {
    const { sections, rows } = this.#chart, party = this.#lost.length + this.#rest.size;
    let best: number[] | null = null, least = Infinity;
    for (const { general, rowFrom, rowTo } of sections) {
      if (general) continue;
      for (let r = rowFrom; r < rowTo; r++) {
        for (let from = rows[r].from; from + party <= rows[r].to; from++) {
          const broken = this.#break(from, party);
          if (broken >= 0) {
            from = broken; // no run has that seat in it
            continue;
          }
          const cost = this.#runCost(from, party);
          if (cost < least) [best, least] = [Array.from({ length: party }, (_, i) => from + i), cost];
        }
      }
    }
    if (!best) return null;
    const run = new Set(best);
    return { take: best.filter((o) => !this.#rest.has(o)), leave: [...this.#rest].filter((o) => !run.has(o)) };
  }

  /** The last seat from which no run can go on, or -1. */
  #break(from: number, party: number): number {
    for (let o = from + party - 1; o >= from; o--) {
      if (!this.#rest.has(o) && !this.#fits(o)) return o;
      if (o > from && !this.#neighbours(o - 1, o)) return o - 1;
    }
    return -1;
  }

  #runCost(from: number, party: number): number {
    const { section } = this.#chart, run = new Set(Array.from({ length: party }, (_, i) => from + i));
    const middle = this.#far(from) / 2 + this.#far(from + party - 1) / 2;
    return middle + (section[from] === this.#home ? 0 : ELSEWHERE) + this.#leavesOne(run, from) + this.#leavesOne(run, from + party - 1);
  }

  #cost(o: number, mine: ReadonlySet<number>): number {
    return this.#far(o) + this.#leavesOne(new Set([...mine, o]), o);
  }

  /** Whether taking a run leaves one free seat beside its end o that nobody sits next to. */
  #leavesOne(run: ReadonlySet<number>, o: number): number {
    const alone = (s: number, way: number): boolean => !run.has(s) && this.#next(s, s - way, run) && this.#free(s) && !(this.#free(s + way) && this.#neighbours(s, s + way));
    return alone(o - 1, -1) || alone(o + 1, 1) ? LEAVES_ONE : 0;
  }

  #free(o: number): boolean {
    return o >= 0 && o < this.#chart.seats && this.#book.choosable(o) && !this.#book.chosen.has(o);
  }

  #fits(o: number): boolean {
    if (!this.#free(o) || this.#chart.sections[this.#chart.section[o]].general || this.#price(o) > this.#most) return false;
    return this.#kind === 0 ? this.#chart.flags[o] === 0 : (this.#chart.flags[o] & this.#kind) !== 0;
  }

  #next(o: number, to: number, among: ReadonlySet<number>): boolean {
    return among.has(to) && this.#neighbours(o, to);
  }

  #neighbours(a: number, b: number): boolean {
    const { row } = this.#chart;
    return row[a] === row[b] && this.#gap(a, b) <= AISLE * this.#usual(row[a]);
  }

  #gap(a: number, b: number): number {
    return Math.hypot(this.#chart.x[a] - this.#chart.x[b], this.#chart.y[a] - this.#chart.y[b]);
  }

  /** The distance that most neighbours of a row have. */
  #usual(row: number): number {
    let usual = this.#pitches.get(row);
    if (usual === undefined) {
      const { from, to } = this.#chart.rows[row];
      const gaps = Array.from({ length: Math.max(0, to - from - 1) }, (_, i) => this.#gap(from + i, from + i + 1)).sort((a, b) => a - b);
      this.#pitches.set(row, (usual = gaps[gaps.length >> 1] ?? this.#chart.pitch));
    }
    return usual;
  }

  /** From the middle of the lost seats, in pitches. */
  #far(o: number): number {
    return Math.hypot(this.#chart.x[o] - this.#x, this.#chart.y[o] - this.#y) / this.#chart.pitch;
  }
}

import { ACCESSIBLE, type Chart, COMPANION } from "./geometry.ts";

// A seat's status, as on the wire.
export const FREE = 0;
export const HELD = 1;
export const SOLD = 2;
export const BLOCKED = 3;

/** How a seat looks to this fan: its status, unless it is theirs. */
export const LOOK = { free: 0, held: 1, sold: 2, blocked: 3, chosen: 4, mine: 5, leaving: 6 } as const;
export type Look = (typeof LOOK)[keyof typeof LOOK];

export interface Change { ordinal: number; status: number }

/**
 * The statuses of all seats with the counts that follow from them, and what this fan has chosen and holds. The shared
 * stream says only "held"; which of the held seats are mine is known here alone (holding.ts changes that). Every method
 * answers the ordinals whose look changed. Feeding the same things in the same order always ends in the same book.
 */
export class SeatBook {
  readonly chart: Chart;
  readonly status: Uint8Array;
  /** Free seats per section. */
  readonly free: Int32Array;
  totalFree = 0;
  /** 1 for each seat that the fan looks for; null: all of them. */
  wanted: Uint8Array | null = null;
  /** Free seats per section among those, and in all. */
  readonly open: Int32Array;
  totalOpen = 0;
  /** The commonest price category among a section's wanted seats, or -1. */
  readonly hue: Int16Array;
  readonly mine = new Set<number>();
  readonly chosen = new Set<number>();
  /** Places of general-admission areas by section: those the fan has chosen, and those they hold. Which ones is nobody's business. */
  readonly places = new Map<number, number>();
  readonly myPlaces = new Map<number, number>();
  /** Accessible seats and their companions are kept for fans who say that they need one. */
  kept = false;
  known = false;

  constructor(chart: Chart) {
    this.chart = chart;
    this.status = new Uint8Array(chart.seats).fill(SOLD);
    this.free = new Int32Array(chart.sections.length);
    this.open = new Int32Array(chart.sections.length);
    this.hue = Int16Array.from(chart.sections, (s) => s.category);
  }

  look(o: number): Look {
    if (this.mine.has(o)) return this.chosen.has(o) ? LOOK.mine : LOOK.leaving;
    if (this.chosen.has(o)) return LOOK.chosen;
    return this.status[o] as Look;
  }

  /** Whether the seat is one that is kept for those who need it, from this fan too. */
  keptFrom(o: number): boolean {
    return this.kept && (this.chart.flags[o] & (ACCESSIBLE | COMPANION)) !== 0;
  }

  /** Whether this fan may choose the seat now. */
  choosable(o: number): boolean {
    return (this.status[o] === FREE && !this.keptFrom(o)) || this.mine.has(o);
  }

  /** How many seats and places are chosen. */
  get size(): number {
    let n = this.chosen.size;
    for (const places of this.places.values()) n += places;
    return n;
  }

  /** Replaces all statuses (or those of a run of seats that starts at from). */
  snapshot(statuses: Uint8Array, from = 0): number[] {
    const changed: number[] = [];
    const end = Math.min(statuses.length, this.chart.seats - from);
    for (let i = 0; i < end; i++) if (this.#set(from + i, statuses[i])) changed.push(from + i);
    this.known = true;
    return changed;
  }

  /** Applies changes in order. Seats the chart does not have are an error: the map must then start over. */
  apply(changes: Iterable<Change>): number[] {
    const changed: number[] = [];
    for (const { ordinal, status } of changes) {
      if (!(ordinal >= 0 && ordinal < this.chart.seats) || status > BLOCKED) throw new RangeError(`seat ${ordinal}`);
      if (this.#set(ordinal, status)) changed.push(ordinal);
    }
    return changed;
  }

  #set(o: number, status: number): boolean {
    const before = this.status[o];
    if (before === status) return false;
    this.status[o] = status;
    const step = (status === FREE ? 1 : 0) - (before === FREE ? 1 : 0);
    this.free[this.chart.section[o]] += step;
    this.totalFree += step;
    if (this.wanted === null || this.wanted[o] === 1) {
      this.open[this.chart.section[o]] += step;
      this.totalOpen += step;
    }
    return true;
  }

  /** Says what the fan looks for. */
  want(wanted: Uint8Array | null): void {
    this.wanted = wanted;
    this.totalOpen = 0;
    this.chart.sections.forEach(({ from, to, category }, s) => {
      const counts = new Int32Array(64);
      this.open[s] = 0;
      for (let o = from; o < to; o++) {
        if (wanted !== null && wanted[o] === 0) continue;
        counts[this.chart.category[o]]++;
        if (this.status[o] === FREE) this.open[s]++;
      }
      this.totalOpen += this.open[s];
      this.hue[s] = wanted === null ? category : commonest(counts);
    });
  }

  /** Whether a seat is one that the fan does not look for. */
  faint(o: number): boolean {
    return this.wanted !== null && this.wanted[o] === 0;
  }
}

function commonest(counts: Int32Array): number {
  const most = Math.max(...counts);
  return most > 0 ? counts.indexOf(most) : -1;
}

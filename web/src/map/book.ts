import type { Chart } from "./geometry.ts";

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
 * stream says only "held"; which of the held seats are mine is known here alone. Every method answers the ordinals
 * whose look changed. Feeding the same things in the same order always ends in the same book.
 */
export class SeatBook {
  readonly chart: Chart;
  readonly status: Uint8Array;
  /** Free seats per section. */
  readonly free: Int32Array;
  totalFree = 0;
  readonly mine = new Set<number>();
  readonly chosen = new Set<number>();
  known = false;

  constructor(chart: Chart) {
    this.chart = chart;
    this.status = new Uint8Array(chart.seats).fill(SOLD);
    this.free = new Int32Array(chart.sections.length);
  }

  look(o: number): Look {
    if (this.mine.has(o)) return this.chosen.has(o) ? LOOK.mine : LOOK.leaving;
    if (this.chosen.has(o)) return LOOK.chosen;
    return this.status[o] as Look;
  }

  /** Whether this fan may choose the seat now. */
  choosable(o: number): boolean {
    return this.status[o] === FREE || this.mine.has(o);
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
      if (!(ordinal >= 0 && ordinal < this.chart.seats) || status > BLOCKED) throw new RangeError(`change of seat ${ordinal} to ${status}`);
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
    return true;
  }

  /** Chosen seats that somebody else has by now; they leave the choice. */
  dropLost(): number[] {
    const lost = [...this.chosen].filter((o) => !this.choosable(o)).sort((a, b) => a - b);
    for (const o of lost) this.chosen.delete(o);
    return lost;
  }

  /** Says which seats the fan's live hold has (none: no hold). The choice becomes the hold. */
  hold(ordinals: readonly number[]): number[] {
    const touched = new Set([...this.mine, ...this.chosen, ...ordinals]);
    this.mine.clear();
    this.chosen.clear();
    for (const o of ordinals) {
      this.mine.add(o);
      this.chosen.add(o);
    }
    return [...touched];
  }

  /** Whether the choice differs from the hold. */
  get edited(): boolean {
    return this.chosen.size !== this.mine.size || [...this.chosen].some((o) => !this.mine.has(o));
  }
}

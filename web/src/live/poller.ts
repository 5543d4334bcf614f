import { fetchAvailability, type Availability } from "./availability.ts";
import type { Surroundings, Timer } from "./surroundings.ts";

const EVERY = 3_000; // ms between two looks
const SLOWEST = 30_000; // between two tries that fail

export interface PollEvents {
  seen(document: Availability): void;
  failed(): void;
}

/** Asks for the availability document again and again, until it is stopped. */
export class Poller {
  readonly #at: Surroundings;
  readonly #url: string;
  readonly #seats: number;
  readonly #events: PollEvents;
  #running: AbortController | null = null;
  #timer: Timer | undefined;

  /** seats: of the chart, 0 when not known. */
  constructor(at: Surroundings, url: string, seats: number, events: PollEvents) {
    this.#at = at;
    this.#url = url;
    this.#seats = seats;
    this.#events = events;
  }

  start(): void {
    if (this.#running) return;
    this.#running = new AbortController();
    void this.#look(this.#running, 0);
  }

  stop(): void {
    this.#running?.abort();
    this.#running = null;
    if (this.#timer !== undefined) this.#at.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #look(run: AbortController, failures: number): Promise<void> {
    let wait = EVERY;
    try {
      const seen = await fetchAvailability(this.#url, this.#seats, this.#at.fetch, run.signal);
      if (run !== this.#running) return;
      failures = 0;
      this.#events.seen(seen);
    } catch {
      if (run !== this.#running) return;
      failures++;
      wait = Math.min(SLOWEST, EVERY * 2 ** Math.min(failures, 4));
      this.#events.failed();
    }
    if (run !== this.#running) return; // stopped by who was told
    this.#timer = this.#at.setTimeout(() => void this.#look(run, failures), wait * (0.85 + this.#at.random() * 0.3));
  }
}

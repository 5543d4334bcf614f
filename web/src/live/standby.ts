import type { Fallback } from "./fallback.ts";
import type { LiveOptions } from "./options.ts";
import type { Poller, PollEvents } from "./poller.ts";
import type { Surroundings } from "./surroundings.ts";

/** What a map has while no link works: the other ways, which may have to be fetched first, and polling. */
export class Standby {
  /** null until they are here. */
  ways: Fallback | null = null;
  readonly #o: LiveOptions;
  readonly #at: Surroundings;
  readonly #events: PollEvents;
  #coming = false; // they are asked for
  #wanted = false;
  #poller: Poller | null = null;

  constructor(options: LiveOptions, at: Surroundings, events: PollEvents) {
    this.#o = options;
    this.#at = at;
    this.#events = events;
    if (typeof options.fallback === "object") this.ways = options.fallback;
  }

  /** Polls from now on, where there is something to poll. */
  start(): void {
    const { pollUrl, seats = 0 } = this.#o;
    this.#wanted = true;
    if (!this.ways) return this.#bring();
    if (pollUrl === undefined) return;
    this.#poller ??= this.ways.poller(this.#at, pollUrl, seats, this.#events);
    this.#poller.start();
  }

  stop(): void {
    this.#wanted = false;
    this.#poller?.stop();
  }

  /** Asks for the other ways; what does not come is asked for again with the next failure. */
  #bring(): void {
    if (typeof this.#o.fallback !== "function" || this.#coming) return;
    this.#coming = true;
    this.#o.fallback().then((ways) => {
      this.ways = ways;
      if (this.#wanted) this.start();
    }, () => {
      this.#coming = false;
      if (this.#wanted) this.#events.failed();
    });
  }
}

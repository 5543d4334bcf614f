import type { Surroundings, Timer } from "./surroundings.ts";

/** Some of somebody's timers, for those who look after a part of what they do. */
export interface SomeTimers<Name extends string> {
  start(name: Name, ms: number, then: () => void): void;
  stop(...names: Name[]): void;
}

/** Timers by name: one of each, started anew when it runs. */
export class Timers<Name extends string> {
  readonly #at: Surroundings;
  readonly #running = new Map<Name, Timer>();

  constructor(at: Surroundings) {
    this.#at = at;
  }

  start(name: Name, ms: number, then: () => void): void {
    this.stop(name);
    this.#running.set(name, this.#at.setTimeout(() => {
      this.#running.delete(name);
      then();
    }, ms));
  }

  runs(name: Name): boolean {
    return this.#running.has(name);
  }

  stop(...names: Name[]): void {
    for (const name of names) {
      const timer = this.#running.get(name);
      if (timer !== undefined) this.#at.clearTimeout(timer);
      this.#running.delete(name);
    }
  }

  stopAll(): void {
    this.stop(...this.#running.keys());
  }
}

import { type Link, OPEN_WAIT } from "./links.ts";
import type { Surroundings } from "./surroundings.ts";
import type { SomeTimers } from "./timers.ts";
import type { Frame } from "./wire.ts";

const FIRST = 60_000; // ms of events until a socket is tried beside them; longer each time
const LAST = 600_000;

/** What a socket says that is only tried: frame is null for what is no frame. */
export interface Trial {
  frame(frame: Frame | null, bytes: ArrayBuffer | Uint8Array | null): void;
  over(): void;
}

/** The connection that is to be lifted from events to a socket. */
export interface Lifted {
  /** Frames come as events, and somebody looks at them. */
  below(): boolean;
  /** What is shown has a position from which another link can go on. */
  steady(): boolean;
  /** Opens a socket beside the events. Throws when a policy forbids it. */
  open(trial: Trial): Link;
  /** The socket works, and this is its first frame: it takes the place of the events. */
  take(link: Link, bytes: ArrayBuffer | Uint8Array | null): void;
}

/** Tries a socket beside the events now and then. It goes on from what is shown, so that the change is not seen. */
export class Riser {
  readonly #at: Surroundings;
  readonly #timers: SomeTimers<"up">;
  readonly #below: Lifted;
  #up: Link | null = null;
  #tries = 0; // in a row that failed

  constructor(at: Surroundings, timers: SomeTimers<"up">, below: Lifted) {
    this.#at = at;
    this.#timers = timers;
    this.#below = below;
  }

  later(): void {
    const wait = Math.min(LAST, FIRST * 2 ** Math.min(this.#tries, 5));
    this.#timers.start("up", wait * (0.85 + this.#at.random() * 0.3), () => this.now());
  }

  now(): void {
    if (this.#up || !this.#below.below()) return;
    if (!this.#below.steady()) return this.later();
    try {
      const up = this.#below.open({
        frame: (frame, bytes) => up === this.#up && this.#heard(frame, bytes),
        over: () => up === this.#up && this.#failed(),
      });
      this.#up = up;
    } catch {
      return this.#failed();
    }
    this.#timers.start("up", OPEN_WAIT, () => this.#failed());
  }

  /** Lets the socket go that is being tried. */
  stop(): void {
    this.#up?.close();
    this.#up = null;
  }

  /** A socket works: the next time that there is none begins anew. */
  arrived(): void {
    this.#tries = 0;
  }

  #heard(frame: Frame | null, bytes: ArrayBuffer | Uint8Array | null): void {
    const up = this.#up!;
    if (!frame || frame.kind === "bye") return this.#failed();
    this.#timers.stop("up");
    this.#up = null;
    this.#below.take(up, bytes);
  }

  #failed(): void {
    this.stop();
    this.#tries++;
    if (this.#below.below()) this.later();
  }
}

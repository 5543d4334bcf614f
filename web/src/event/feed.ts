import { json } from "../api/client.ts";
import { unpack } from "../map/book.ts";
import type { LiveState } from "./map-view.ts";
import type { EventModel } from "./model.ts";

export interface FeedEvents {
  changed(ordinals: number[]): void;
  state(state: LiveState): void;
}

interface AvailabilityAnswer { seatsBitmap: string }

const POLL = 3000; // ms between two looks while there is no live connection

/** Keeps the book true: polling of the availability document, the fallback under the live connection. */
export class Feed {
  readonly #model: EventModel;
  readonly #events: FeedEvents;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #failures = 0;

  constructor(model: EventModel, events: FeedEvents) {
    this.#model = model;
    this.#events = events;
  }

  start(): void {
    void this.#poll();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const answer = await json<AvailabilityAnswer>(`/v1/events/${this.#model.detail.eventId}/availability`);
      this.#failures = 0;
      if (this.#stopped) return;
      this.#events.changed(this.#model.book.snapshot(unpack(fromBase64(answer.seatsBitmap), this.#model.chart.seats)));
      this.#events.state("polling");
    } catch {
      this.#failures++;
      this.#events.state("offline");
    }
    if (this.#stopped) return;
    const wait = document.hidden ? POLL * 5 : Math.min(30_000, POLL * 2 ** Math.min(4, this.#failures));
    this.#timer = setTimeout(() => void this.#poll(), wait * (0.85 + Math.random() * 0.3));
  }
}

function fromBase64(text: string): Uint8Array {
  const raw = atob(text);
  return Uint8Array.from(raw, (c) => c.charCodeAt(0));
}

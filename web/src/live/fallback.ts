import { eventLink } from "./event-link.ts";
import type { Link, LinkEvents } from "./links.ts";
import { type PollEvents, Poller } from "./poller.ts";
import { type Lifted, Riser } from "./rise.ts";
import type { Surroundings } from "./surroundings.ts";
import type { SomeTimers } from "./timers.ts";

/** The ways that are left where no socket comes through. */
export interface Fallback {
  link(at: Surroundings, url: string, events: LinkEvents): Link;
  poller(at: Surroundings, url: string, seats: number, events: PollEvents): Poller;
  riser(at: Surroundings, timers: SomeTimers<"up">, below: Lifted): Riser;
}

export const fallback: Fallback = {
  link: eventLink, poller: (at, url, seats, events) => new Poller(at, url, seats, events), riser: (at, timers, below) => new Riser(at, timers, below),
};

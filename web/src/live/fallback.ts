import { eventLink } from "./event-link.ts";
import type { Link, LinkEvents } from "./links.ts";
import { type PollEvents, Poller } from "./poller.ts";
import type { Surroundings } from "./surroundings.ts";

/** The ways that are left where no socket comes through. */
export interface Fallback {
  link(at: Surroundings, url: string, events: LinkEvents): Link;
  poller(at: Surroundings, url: string, seats: number, events: PollEvents): Poller;
}

export const fallback: Fallback = { link: eventLink, poller: (at, url, seats, events) => new Poller(at, url, seats, events) };

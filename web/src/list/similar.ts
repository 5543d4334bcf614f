import { json } from "../api/client.ts";
import type { EventCard } from "../api/types.ts";
import { t } from "../i18n/list.ts";
import { card, onOffer } from "./card.ts";
import type { Page } from "./results.ts";
import { section } from "./results.ts";
import { Openings } from "./opening.ts";

/**
 * Events that are like one, as a section of cards; what is coming up where nothing is like it, or no event is named; null where
 * there is nothing at all to show, or no answer. It never throws: it is a second thought of the page that it is on.
 */
export async function similarEvents(eventId: string | null, most = 4): Promise<HTMLElement | null> {
  const id = eventId && encodeURIComponent(eventId);
  const like = id ? (await events(`/v1/events/${id}/similar`)).filter(onOffer) : [];
  const shown = like.length > 0 ? like : (await events("/v1/events")).filter((e) => e.eventId !== eventId && onOffer(e));
  if (shown.length === 0) return null;
  const openings = new Openings();
  return section(t(like.length > 0 ? "similar" : "comingUp"), shown.slice(0, most).map((e) => card(e, openings, () => {})));
}

async function events(path: string): Promise<EventCard[]> {
  try {
    return (await json<Page>(path, { again: false })).events;
  } catch {
    return [];
  }
}

import { choosePlaces, isEdited } from "../map/holding.ts";
import type { Wishes } from "./filter.ts";
import type { EventModel } from "./model.ts";

// What is chosen and looked for, and held by nobody yet, is on this page alone. It outlives a reload, the way to another page and back,
// and a phone that throws pages away, in this tab.

const LONGEST = 1_800_000; // ms: later nobody expects it any more. By this device's own clock: a page that has just been loaded knows no other

interface Kept {
  at: number;
  chart: string; // what the numbers below count in
  hold: string; // the hold that the choice was to replace, or ""
  seats: number[];
  areas: [section: number, places: number][];
  wishes: Wishes;
}

/** Uses the tab's storage, which may be closed to us: then nothing is kept. A memory in its place would be over with the page. */
function stored<T>(use: (store: Storage) => T): T | null {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}

const key = (event: string): string => `plateia.choice.${event}`;

/** Keeps what the fan has chosen beyond their hold (its id, "" without one), and what they look for. */
export function keepChoice(model: EventModel, hold: string): void {
  const { book, detail, filter } = model, { eventId } = detail, edited = isEdited(book);
  if (!edited && filter.active.length === 0) return void stored((s) => s.removeItem(key(eventId)));
  const kept: Kept = {
    at: Date.now(), chart: detail.chart.url, hold, wishes: filter.wishes,
    seats: edited ? [...book.chosen] : [...book.mine], areas: edited ? [...book.places] : [...book.myPlaces],
  };
  stored((s) => s.setItem(key(eventId), JSON.stringify(kept)));
}

const recalled = new WeakSet<EventModel>(); // a panel that is made anew must not bring back what the fan has changed since

/**
 * Takes up what was kept, once: filters, and the choice if the fan's hold is the one of then. Answers the seats whose look changed. Of
 * what is chosen some may be lost by now; who knows the seats' state says so.
 */
export function recallChoice(model: EventModel, hold: string): number[] {
  const { book, detail, filter, chart } = model, text = stored((s) => s.getItem(key(detail.eventId)));
  if (recalled.has(model)) return [];
  recalled.add(model);
  const kept = read(text);
  if (!kept || Date.now() - kept.at > LONGEST || kept.chart !== detail.chart.url) return [];
  if (Object.keys(kept.wishes).length > 0) filter.set(kept.wishes);
  if (kept.hold !== hold || isEdited(book)) return [];
  const before = [...book.chosen];
  book.chosen.clear();
  for (const o of kept.seats) if (o < chart.seats && book.size < model.max) book.chosen.add(o);
  book.places.clear();
  for (const [section, n] of kept.areas) if (book.size + n <= model.max) choosePlaces(book, section, n);
  return [...before, ...book.chosen];
}

function read(text: string | null): Kept | null {
  try {
    const kept = JSON.parse(text ?? "null") as Kept | null;
    return kept && Array.isArray(kept.seats) && Array.isArray(kept.areas) ? kept : null;
  } catch {
    return null;
  }
}

import type { EventDetail } from "../api/types.ts";
import { byId, h, icon, icons } from "../base/dom.ts";
import { eventDate, venueLine } from "../i18n/format.ts";

/** Fills the event's line above the map; date: how its time is written. */
export function showHead(e: EventDetail, date = eventDate): void {
  const title = byId("title");
  title.textContent = e.title;
  byId("when").replaceChildren(icon(icons.clock), h("time", { datetime: e.startsAt }, date(e.startsAt, e.timeZone)));
  byId("where").replaceChildren(icon(icons.pin), venueLine(e.venue));
}

import type { Availability, EventCard } from "../api/types.ts";
import { h } from "../base/dom.ts";
import { cardDate, oneTime, price, shortDate, stub } from "../i18n/format.ts";
import { t } from "../i18n/list.ts";
import { language } from "../i18n/speech.ts";
import { tone } from "../ui/tone.ts";
import { COUNTED, type Openings, spanText } from "./opening.ts";

type Word = Availability | "paused";

const TAGS: Record<Word, string> = { available: "ok", limited: "warn", sold_out: "off", cancelled: "bad", on_sale_soon: "", paused: "off" };

/** The one word that is said of an event. Seats that are left say nothing while nobody can have them. */
const word = ({ availability, state }: EventCard): Word =>
  state === "paused" && (availability === "available" || availability === "limited") ? "paused" : availability;

/** Whether somebody who looks for something to go to is helped by it: seats can be had, or will be. */
export const onOffer = (e: EventCard): boolean => TAGS[word(e)] !== "off" && word(e) !== "cancelled";

/** An event in a list. Sales that open within days are counted down to; opened hears of each that has. */
export function card(e: EventCard, openings: Openings, opened: () => void): HTMLElement {
  const date = stub(e.startsAt, e.timeZone), said = word(e), { name, city } = e.venue;
  const gone = e.availability === "sold_out" || e.availability === "cancelled";
  return h("li", { class: `card tone-${tone(e.eventId)}${gone ? " gone" : ""}`, "data-event": e.eventId },
    h("div", { class: "stub", "aria-hidden": "true" }, h("span", null, date.weekday), h("b", null, date.day), h("span", null, date.month)),
    h("div", { class: "card-body" },
      h("h2", null, h("a", { href: `/events/${encodeURIComponent(e.eventId)}` }, h("bdi", null, e.title))),
      h("p", { class: "soft" }, h("bdi", null, name), city && ", ", city && h("bdi", { class: "town" }, city), e.distanceKm !== undefined && " ", e.distanceKm !== undefined && h("span", { class: "far" }, far(e.distanceKm))),
      h("p", { class: "small" }, h("time", { datetime: e.startsAt }, cardDate(e.startsAt, e.timeZone, (date) => t("localTime", { date })))),
      e.availability === "on_sale_soon" && opening(e, openings, opened),
      h("div", { class: "card-foot" },
        h("span", { class: "num" }, e.priceRange && !gone ? t("from", { price: price(e.priceRange.min) }) : ""),
        h("span", { class: `tag ${TAGS[said] ?? ""}` }, t(`avail_${said}`)))));
}

/** "(12 km away)": nothing hangs at the end of a line that it does not fit on. */
const far = (km: number): string => `(${t("away", {
  far: new Intl.NumberFormat(language, { style: "unit", unit: "kilometer", maximumFractionDigits: km < 10 ? 1 : 0 }).format(km),
})})`;

function opening(e: EventCard, openings: Openings, opened: () => void): HTMLElement {
  const at = Date.parse(e.onSaleAt), line = h("p", { class: "small opens" });
  const date = (): string => t("onSaleFrom", { date: oneTime(shortDate(e.onSaleAt, e.timeZone)) });
  let over = false;
  openings.add(line, at, (left) => {
    const text = left > COUNTED ? date() : left > 0 ? t("onSaleIn", { time: spanText(left) }) : t("onSaleNow");
    if (line.textContent !== text) line.textContent = text;
    line.classList.toggle("soon", left <= COUNTED);
    if (left > COUNTED) line.removeAttribute("title");
    else line.title = date();
    if (left > 0 || over) return;
    over = true;
    opened();
  });
  return line;
}

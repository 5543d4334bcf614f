import { send } from "../api/client.ts";
import type { Order, Ticket } from "../api/types.ts";
import { sessionToken } from "../auth/session.ts";
import { h, icon, icons } from "../base/dom.ts";
import { eventDate, sectionName, venueLine } from "../i18n/format.ts";
import { tone } from "../ui/tone.ts";
import { signs } from "./signs.ts";
import { t } from "./page-words.ts";

/** A seat by name; of an area only the area. */
export const placeName = ({ area, section, row, seat }: Pick<Ticket, "area" | "section" | "row" | "seat">): string =>
  area ? section : t("seatName", { section: sectionName(section, (name) => t("sectionName", { section: name })), row, seat });

/** The tickets of an order. One that has not changed keeps its element, and with it its picture. */
export class TicketList {
  readonly #shown = new Map<string, HTMLElement>();

  /** The section, or null without tickets. print prints them. */
  render(order: Order, print: () => void): HTMLElement | null {
    const valid = order.tickets.filter((k) => k.state === "VALID"), gone = order.tickets.filter((k) => k.state !== "VALID");
    if (order.tickets.length === 0) return null;
    const items = [...valid, ...gone].map((k) => this.#item(order, k, order.tickets.indexOf(k) + 1));
    return h("section", { class: "box tickets-box", "aria-labelledby": "tickets-title" },
      h("h2", { id: "tickets-title" }, t("ticketsTitle")),
      h("ul", { class: "tickets" }, ...items),
      valid.length > 0 && h("div", { class: "box no-print" },
        h("p", { class: "small soft" }, t("ticketNote")),
        h("div", null, h("button", { class: "button quiet", type: "button", onclick: print }, icon(signs.printer), t("print")))));
  }

  #item(order: Order, k: Ticket, n: number): HTMLElement {
    const key = `${k.ticketId} ${k.state}`;
    const item = this.#shown.get(key) ?? (k.state === "VALID" ? ticket(order, k, n) : returned(k));
    this.#shown.set(key, item);
    return item;
  }
}

function ticket(order: Order, k: Ticket, n: number): HTMLElement {
  const { event } = order;
  const part = (label: string, value: string): HTMLElement => h("div", null, h("dt", null, label), h("dd", null, value));
  const figure = h("figure", null);
  void loadCode(figure, k);
  return h("li", { class: `ticket tone-${tone(order.eventId)}`, "data-ticket": k.ticketId, "data-state": k.state },
    h("div", { class: "ticket-main" },
      h("div", null, h("h3", null, event.title),
        h("p", { class: "soft small" }, eventDate(event.startsAt, event.timeZone)), h("p", { class: "soft small" }, venueLine(event.venue))),
      h("dl", null, part(t("section"), k.section), ...(k.area ? [] : [part(t("row"), k.row), part(t("seat"), k.seat)])),
      h("p", { class: "fine" }, t("ticketOf", { n, total: order.tickets.length }), h("span", { class: "mono" }, k.ticketId))),
    figure);
}

/** A ticket that was given back has no code: one line is all it needs. */
const returned = (k: Ticket): HTMLElement =>
  h("li", { class: "ticket-gone", "data-ticket": k.ticketId, "data-state": k.state },
    icon(icons.close),
    h("div", null, h("h3", null, h("s", null, placeName(k))), h("p", { class: "soft small" }, t("ticketVoid"))));

/** The code's picture needs the session, so it is fetched with the header and shown from memory: no token in a URL. */
async function loadCode(figure: HTMLElement, k: Ticket): Promise<void> {
  figure.replaceChildren(h("div", { class: "spinner" }));
  try {
    const response = await send(`/v1/tickets/${encodeURIComponent(k.ticketId)}.png`, { bearer: sessionToken(), accept: "image/png" });
    const url = URL.createObjectURL(await response.blob());
    const image = h("img", { src: url, alt: t("ticketCode", { seat: placeName(k) }), width: 200, height: 200, class: "qr" });
    image.addEventListener("load", () => URL.revokeObjectURL(url), { once: true });
    figure.replaceChildren(image);
  } catch {
    figure.replaceChildren(h("div", { class: "gone box" }, h("p", null, t("ticketCodeFailed")),
      h("button", { class: "button quiet", type: "button", onclick: () => void loadCode(figure, k) }, t("retry"))));
  }
}

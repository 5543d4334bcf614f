import { send } from "../api/client.ts";
import type { Order, Ticket } from "../api/types.ts";
import { sessionToken } from "../auth/session.ts";
import { announce, byId, h, icon, icons } from "../base/dom.ts";
import { eventDate, ownDate, venueLine } from "../i18n/format.ts";
import { t } from "../order/words.ts";
import { getOrder, idFromPath } from "../order/fetch.ts";
import { guarded } from "../order/guarded.ts";
import { slip, statusTag } from "../order/slip.ts";
import { startPage } from "../ui/account.ts";
import { tone } from "../ui/tone.ts";

const id = idFromPath();
const place = byId("content");
let shown = "";
let timer: ReturnType<typeof setTimeout>;

/** Orders in these states can still change without the fan. */
const OPEN = new Set(["PENDING_PAYMENT", "FAILED", "REVIEW"]);

function look(): Promise<void> {
  clearTimeout(timer);
  return guarded(place, t("ordersSignIn"), async () => {
    const order = await getOrder(id);
    const key = order.status + (order.tickets ?? []).map((k) => k.ticketId + k.state).join();
    if (key !== shown) {
      if (shown) announce(t(`st_${order.status}`));
      shown = key;
      show(order);
    }
    if (OPEN.has(order.status)) timer = setTimeout(() => void look(), 3000);
  });
}

function show(order: Order): void {
  document.title = `${order.event.title} · Plateia`;
  const tickets = order.tickets ?? [];
  place.replaceChildren(
    next(order),
    ...(tickets.length > 0 ? [ticketList(order, tickets)] : []),
    slip(order));
}

/** The status in plain words and what to do now. */
function next(order: Order): HTMLElement {
  const unpaid = order.status === "PENDING_PAYMENT" || order.status === "FAILED";
  const over = order.status === "EXPIRED" || order.status === "CANCELLED";
  return h("section", { class: "sheet next" },
    statusTag(order.status),
    h("h2", null, order.status === "CONFIRMED" ? t("payDone") : t(`st_${order.status}`)),
    h("p", { class: "soft" }, t(`next_${order.status}`)),
    h("p", { class: "fine" }, t("orderedAt", { date: ownDate(order.createdAt) })),
    unpaid && h("a", { class: "button", href: `/pay/${encodeURIComponent(id)}` }, t("goPay")),
    over && h("a", { class: "button", href: `/events/${encodeURIComponent(order.eventId)}` }, t("chooseAgain")));
}

function ticketList(order: Order, tickets: Ticket[]): HTMLElement {
  return h("section", { class: "box", "aria-labelledby": "tickets-title" },
    h("h2", { id: "tickets-title" }, t("ticketsTitle")),
    h("ul", { class: "tickets" }, ...tickets.map((k, i) => ticket(order, k, i, tickets.length))),
    h("div", { class: "box no-print" },
      h("p", { class: "small soft" }, t("ticketNote")),
      h("div", null, h("button", { class: "button quiet", type: "button", onclick: () => print() }, icon(icons.ticket), t("print")))));
}

function ticket(order: Order, k: Ticket, i: number, n: number): HTMLElement {
  const { event } = order;
  const name = k.area ? k.section : t("seatName", { section: k.section, row: k.row, seat: k.seat });
  const part = (label: string, value: string): HTMLElement => h("div", null, h("dt", null, label), h("dd", null, value));
  const figure = h("figure", null);
  if (k.state === "VALID") void loadCode(figure, k, name);
  else figure.append(h("p", { class: "gone" }, t("ticketVoid")));
  return h("li", { class: `ticket tone-${tone(order.eventId)}`, "data-ticket": k.ticketId },
    h("div", { class: "ticket-main" },
      h("div", null, h("h3", null, event.title),
        h("p", { class: "soft small" }, eventDate(event.startsAt, event.timeZone)), h("p", { class: "soft small" }, venueLine(event.venue))),
      h("dl", null, part(t("section"), k.section), ...(k.area ? [] : [part(t("row"), k.row), part(t("seat"), k.seat)])),
      h("p", { class: "fine" }, t("ticketOf", { n: i + 1, total: n }), " · ", t("ticketId", { id: k.ticketId }))),
    figure);
}

/** The code's picture needs the session, so it is fetched with the header and shown from memory: no token in a URL. */
async function loadCode(figure: HTMLElement, k: Ticket, name: string): Promise<void> {
  figure.replaceChildren(h("div", { class: "spinner" }));
  try {
    const response = await send(`/v1/tickets/${encodeURIComponent(k.ticketId)}.png`, { bearer: sessionToken(), accept: "image/png" });
    const url = URL.createObjectURL(await response.blob());
    const image = h("img", { src: url, alt: t("ticketCode", { seat: name }), width: 200, height: 200, class: "qr" });
    image.addEventListener("load", () => URL.revokeObjectURL(url), { once: true });
    figure.replaceChildren(image);
  } catch {
    figure.replaceChildren(h("div", { class: "gone box" }, h("p", null, t("ticketCodeFailed")),
      h("button", { class: "button", type: "button", onclick: () => void loadCode(figure, k, name) }, t("retry"))));
  }
}

startPage("orders");
document.addEventListener("visibilitychange", () => !document.hidden && OPEN.has(shown.match(/^[A-Z_]+/)?.[0] ?? "") && void look());
void look();

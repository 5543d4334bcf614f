import type { Order, OrderStatus } from "../api/types.ts";
import { h } from "../base/dom.ts";
import { eventDate, money, venueLine } from "../i18n/format.ts";
import { t } from "./words.ts";
import { tone } from "../ui/tone.ts";
import { lineAmount } from "./fetch.ts";

const TONES: Record<OrderStatus, string> = {
  PENDING_PAYMENT: "warn", CONFIRMED: "ok", FAILED: "bad", EXPIRED: "off", CANCELLED: "off", REVIEW: "warn", REFUNDED: "off", PARTLY_REFUNDED: "ok",
};

/** An order's status as a word with a shape. */
export const statusTag = (status: OrderStatus): HTMLElement => h("span", { class: `tag ${TONES[status] ?? ""}` }, t(`st_${status}`));

/** What was ordered: event, seats, prices, total. */
export function slip(order: Order): HTMLElement {
  const { event } = order;
  return h("section", { class: `slip tone-${tone(order.eventId)}`, "aria-labelledby": "slip-title" },
    h("div", { class: "slip-head" },
      h("h2", { id: "slip-title" }, event.title),
      h("p", null, h("time", { datetime: event.startsAt }, eventDate(event.startsAt, event.timeZone))),
      h("p", null, venueLine(event.venue))),
    h("div", { class: "slip-body" },
      h("ul", { class: "rows" }, ...order.lines.map((l) => h("li", null,
        h("span", null, t("seatName", { section: l.section, row: l.row, seat: l.seat })),
        h("span", { class: "num" }, money(lineAmount(order, l.amount)))))),
      h("p", { class: "sum" }, h("span", null, t("total")), h("span", { class: "num" }, money(order.total))),
      h("p", { class: "fine" }, t("feesIncluded"), " · ", t("orderNumber", { id: order.orderId }))));
}

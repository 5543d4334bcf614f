import type { Money, Order, OrderStatus } from "../api/types.ts";
import { h } from "../base/dom.ts";
import { eventDate, money, percent, venueLine } from "../i18n/format.ts";
import { t } from "./words.ts";
import { tone } from "../ui/tone.ts";

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
      h("ul", { class: "rows" }, ...rows(order).map(([name, amount]) => h("li", null, h("span", null, name), h("span", { class: "num" }, money(amount))))),
      h("p", { class: "sum" }, h("span", null, t("total")), h("span", { class: "num" }, money(order.total))),
      h("p", { class: "fine" }, taxOf(order) ?? t("feesIncluded"), " · ", t("orderNumber", { id: order.orderId }))));
}

/** Seats one by one, places of an area together, for which ones they are is nobody's business, then fees and discounts. */
function rows(order: Order): [name: string, amount: Money][] {
  const out: [string, Money][] = [], rest: [string, Money][] = [], areas = new Map<string, [n: number, amount: Money]>();
  for (const l of order.lines) {
    const { amount } = l;
    if (l.included) continue;
    if (l.kind !== "seat") rest.push([l.name ?? "", amount]);
    else if (!l.area) out.push([t("seatName", { section: l.section!, row: l.row!, seat: l.seat! }), amount]);
    else {
      const [n, sum] = areas.get(l.section!) ?? [0, { ...amount, amount: 0 }];
      areas.set(l.section!, [n + 1, { ...sum, amount: sum.amount + amount.amount }]);
    }
  }
  return [...out, ...[...areas].map(([section, [n, sum]]): [string, Money] => [`${n} × ${section}`, sum]), ...rest];
}

/** How much of the total is tax, in words; none when nothing is said about it. */
function taxOf(order: Order): string | undefined {
  const line = order.lines.find((l) => l.kind === "tax");
  return line && t("taxIncluded", { tax: money(line.amount), rate: percent(line.rate ?? 0) });
}

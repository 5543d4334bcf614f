import type { Order, PriceLine } from "../api/types.ts";
import { h, icon } from "../base/dom.ts";
import { eventDate, money, ownDate, venueLine } from "../i18n/format.ts";
import { signs } from "./signs.ts";
import { type Standing, why } from "./view.ts";
import { t } from "./page-words.ts";
import { costs } from "./costs.ts";
import { placeName } from "./tickets.ts";
import { tone } from "../ui/tone.ts";

const part = (label: string, value: string | HTMLElement): HTMLElement => h("div", null, h("dt", null, label), h("dd", null, value));

/** What was ordered and what it costs: event, seats, fees, tax, total, and what has been paid back. */
export function receipt(order: Order, standing: Standing, print: () => void): HTMLElement {
  const { event } = order, over = standing === "unsold" || standing === "lost", seats = order.lines.filter((l) => l.kind === "seat").length;
  return h("section", { class: `slip tone-${tone(order.eventId)} ${over ? "over" : ""}`, "aria-labelledby": "slip-title" },
    h("div", { class: "slip-head" },
      h("h2", { id: "slip-title" }, event.title),
      h("p", null, h("time", { datetime: event.startsAt }, eventDate(event.startsAt, event.timeZone))),
      h("p", null, venueLine(event.venue))),
    h("div", { class: "slip-body" },
      h("ul", { class: "rows" }, ...rows(order).map(({ name, line, back }) => h("li", { class: back ? "back" : "" },
        h("span", null, name, back && h("span", { class: "small soft" }, ` ${t("givenBack")}`)), h("span", { class: "num" }, money(line.amount))))),
      ...costs(order.lines, order.total, seats),
      standing === "unsold" && sum(t("charged"), money({ ...order.total, amount: 0 })),
      ...paidBack(order),
      h("dl", { class: "particulars" },
        part(t("orderNumber"), h("span", { class: "mono" }, order.orderId)),
        part(t("orderedAt"), ownDate(order.createdAt)),
        part(t("stepSeats"), String(seats))),
      standing === "receipt" && h("div", { class: "no-print" }, h("button", { class: "button quiet", type: "button", id: "print-receipt", onclick: print }, icon(signs.printer), t("printReceipt")))));
}

const sum = (label: string, amount: string, kind = ""): HTMLElement =>
  h("p", { class: `sum beside ${kind}` }, h("span", null, label), h("span", { class: "num" }, amount));

/** A second payment that went back is no part of this sum: the order was paid once. */
function paidBack(order: Order): HTMLElement[] {
  const done = order.refunds.filter((r) => r.status === "DONE" && why(order, r) !== "twice");
  if (done.length === 0) return [];
  const back = done.reduce((sum, r) => sum + r.amount.amount, 0);
  const minus = (amount: number): string => money({ amount: -amount, currency: order.currency });
  return [sum(t("paidBack"), minus(back), "ok")];
}

interface Row { name: string; line: PriceLine; back: boolean }

/** Seats one by one; places of an area together, for which ones they are is nobody's business. */
export function rows(order: Pick<Order, "lines" | "tickets">): Row[] {
  const gone = new Set(order.tickets.filter((k) => k.state === "VOID").map((k) => k.seatId));
  const out: Row[] = [], areas = new Map<string, { n: number; line: PriceLine; back: boolean }>();
  for (const line of order.lines.filter((l) => l.kind === "seat")) {
    const { section = "", row = "", seat = "", seatId = "", amount } = line, back = gone.has(seatId);
    if (!line.area) {
      out.push({ name: placeName({ section, row, seat }), line, back });
      continue;
    }
    const key = `${section} ${back}`, sum = areas.get(key);
    areas.set(key, { n: (sum?.n ?? 0) + 1, back, line: { ...line, amount: { ...amount, amount: amount.amount + (sum?.line.amount.amount ?? 0) } } });
  }
  return [...out, ...[...areas.values()].map(({ n, line, back }) => ({ name: `${n} × ${line.section}`, line, back }))];
}

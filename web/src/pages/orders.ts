import { json } from "../api/client.ts";
import type { OrderSummary as Order } from "../api/types.ts";
import { sessionToken } from "../auth/session.ts";
import { byId, h, icons } from "../base/dom.ts";
import { eventDate, money, ownDate, stub } from "../i18n/format.ts";
import { plural, t } from "../order/words.ts";
import { guarded } from "../order/guarded.ts";
import { statusTag } from "../order/status-tag.ts";
import { startPage } from "../ui/account.ts";
import { state } from "../ui/notice.ts";
import { tone } from "../ui/tone.ts";

interface Page { orders: Order[]; nextCursor: string | null }

const place = byId("content");
const list = h("ul", { class: "order-list" });
const after = h("div", { class: "centre" });

async function load(cursor = ""): Promise<void> {
  const page = await json<Page>(`/v1/orders${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`, { bearer: sessionToken() });
  if (!cursor && page.orders.length === 0) {
    return place.replaceChildren(state(icons.ticket, t("ordersEmpty"), t("ordersEmptyLead"), h("a", { class: "button", href: "/" }, t("ordersFind"))));
  }
  const items = page.orders.map(item);
  list.append(...items);
  if (!list.isConnected) place.replaceChildren(list, after);
  if (cursor) items[0]?.querySelector("a")?.focus();
  const next = page.nextCursor;
  after.replaceChildren(next ? h("button", { class: "button quiet", type: "button", onclick: () => void guarded(after, t("ordersSignIn"), () => load(next)) }, t("ordersMore")) : "");
}

function item(order: Order): HTMLElement {
  const { event } = order, date = stub(event.startsAt, event.timeZone);
  const id = encodeURIComponent(order.orderId);
  const open = order.status === "PENDING_PAYMENT" || order.status === "FAILED";
  return h("li", { class: `card tone-${tone(order.eventId)}` },
    h("div", { class: "stub", "aria-hidden": "true" }, h("span", null, date.weekday), h("b", null, date.day), h("span", null, date.month)),
    h("div", { class: "card-body" },
      h("h2", null, h("a", { href: open ? `/pay/${id}` : `/orders/${id}` }, event.title)),
      h("p", { class: "soft small" }, eventDate(event.startsAt, event.timeZone)),
      h("p", { class: "soft small" }, event.venue.name),
      h("div", { class: "card-foot" },
        h("span", { class: "num" }, money(order.total), " ", h("span", { class: "soft small" }, plural("seats", order.lines.filter((l) => l.kind === "seat").length))),
        statusTag(order.status)),
      h("p", { class: "fine" }, t("orderedOn", { date: ownDate(order.createdAt) }))));
}

startPage("orders");
void guarded(place, t("ordersSignIn"), () => {
  list.replaceChildren();
  return load();
});

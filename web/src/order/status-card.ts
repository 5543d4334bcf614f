import { explain } from "../api/explain.ts";
import type { Order } from "../api/types.ts";
import { h, icon, icons } from "../base/dom.ts";
import { tabbed } from "../base/storage.ts";
import { money, ownTime } from "../i18n/format.ts";
import { busy, isBusy, notice } from "../ui/notice.ts";
import { cancelOrder, payAgain } from "./fetch.ts";
import { signs } from "./signs.ts";
import { deadline, type OrderView, stuck, unpaid } from "./view.ts";
import { t } from "./page-words.ts";

type Tone = "go" | "ok" | "warn" | "bad" | "off";

/** How each view looks: its tone, and its icon ("" turns). */
const LOOKS: Record<OrderView, [Tone, string]> = {
  preparing: ["go", ""], continue: ["go", signs.card], waiting: ["go", ""], unknown: ["warn", icons.clock], delayed: ["warn", icons.clock],
  closing: ["go", ""], declined: ["bad", icons.alert], cancelling: ["off", ""], expired: ["off", icons.clock], cancelled: ["off", icons.close],
  late: ["warn", signs.back], confirmed: ["ok", icons.check], partly: ["ok", icons.ticket], returned: ["warn", signs.back], refunded: ["ok", signs.back],
  review: ["warn", signs.shield],
};

/** Where the ways on lead. */
export interface Ways {
  /** To the provider's page. */
  onward(order: Order, label: string, kind: string): HTMLElement;
  /** To other seats. */
  again(order: Order, label: string): HTMLElement;
}

export interface StatusActions {
  /** Something was done about the order: look at it at once. */
  look(): Promise<void>;
  /** Where the clock stands. */
  clock: HTMLElement;
  ways?: Ways;
}

/** Where the attempt whose payment page this tab has opened is remembered. */
export const visitedKey = (order: string): string => `plateia.visited.${order}`;

/** Where the order stands, in words with a sign, how long there is time, and the next steps. */
export function statusCard(order: Order, view: OrderView, actions: StatusActions): HTMLElement {
  const [tone, path] = LOOKS[view];
  const until = deadline(order), failed = stuck(view, order.refunds);
  return h("section", { class: `sheet status ${tone}`, "data-view": view, "aria-labelledby": "status-title" },
    h("div", { class: "status-sign" }, path ? icon(failed ? icons.alert : path) : h("div", { class: "spinner" })),
    h("div", { class: "status-text" },
      h("h2", { id: "status-title", tabindex: -1 }, t(`view_${view}`)),
      h("p", { class: "soft" }, t(`lead_${failed ? "stuck" : view}`, { time: until === null ? "" : ownTime(until) }))),
    unpaid(view) && view !== "cancelling" && progress(view),
    hasClock(view) && until !== null && actions.clock,
    ...ways(order, view, actions));
}

const hasClock = (view: OrderView): boolean => unpaid(view) && view !== "closing" && view !== "cancelling";

/** Seats, payment, tickets: how far it is. */
function progress(view: OrderView): HTMLElement {
  const step = (text: string, state: string): HTMLElement =>
    h("li", { class: state, "aria-current": state === "now" && "step" }, h("span", null, text));
  return h("ol", { class: "progress", "aria-label": t("progress") },
    step(t("stepSeats"), "done"), step(t("stepPay"), view === "declined" ? "now stuck" : "now"), step(t("stepTickets"), ""));
}

/** What the fan can do, the likeliest first. */
function ways(order: Order, view: OrderView, actions: StatusActions): HTMLElement[] {
  const { payment } = order, may = (step: string): boolean => order.next?.includes(step as "pay") ?? true;
  const { onward, again } = actions.ways ?? pages;
  const pay = (label: string, kind = "button wide"): HTMLElement => action(label, kind, "pay-again", () => payAgain(order.orderId), actions);
  switch (view) {
    case "continue": return [onward(order, t("payContinue", { total: money(order.total) }), "button wide"), cancel(order, actions)];
    case "waiting": return payment?.actionUrl ? [onward(order, t("payReopen"), "button quiet wide"), cancel(order, actions)] : [];
    case "unknown": return may("pay") ? [pay(t("payOther"), "button quiet wide"), cancel(order, actions)] : [];
    case "delayed": return may("cancel") ? [cancel(order, actions)] : [];
    case "preparing": return [cancel(order, actions)];
    case "declined": return [pay(t("payAgain")), cancel(order, actions)];
    case "expired":
    case "cancelled":
    case "late": return [again(order, t("chooseAgain"))];
    default: return [];
  }
}

/** Links to other pages. Going to the provider's is remembered, so that coming back shows "waiting". */
const pages: Ways = {
  onward(order, label, kind) {
    const { attemptId, actionUrl } = order.payment!;
    return h("a", { class: kind, href: safeUrl(actionUrl!), id: "to-provider", onclick: () => tabbed.set(visitedKey(order.orderId), attemptId) }, label);
  },
  again: (order, label) => h("a", { class: "button wide", href: `/events/${encodeURIComponent(order.eventId)}` }, label),
};

/** Only web addresses: an action URL is data from elsewhere. */
function safeUrl(url: string): string {
  const parsed = new URL(url, location.origin);
  return parsed.protocol === "https:" || parsed.protocol === "http:" ? parsed.href : "#";
}

/** Cancelling asks once more, in place: a slip of the thumb must not cost seats. */
function cancel(order: Order, actions: StatusActions): HTMLElement {
  const button = h("button", { class: "button plain", type: "button", id: "cancel-order" }, t("payCancel"));
  button.addEventListener("click", () => {
    const yes = action(t("payCancelYes"), "button danger", "", () => cancelOrder(order.orderId), actions);
    const no = h("button", { class: "button quiet", type: "button", onclick: () => (group.replaceWith(button), button.focus()) }, t("payCancelNo"));
    const group = h("div", { class: "box sure", role: "group", "aria-label": t("payCancelSure") }, h("p", { class: "label" }, t("payCancelSure")), h("div", { class: "pair" }, yes, no));
    button.replaceWith(group);
    no.focus();
  });
  return button;
}

/** A button whose work runs once at a time; afterwards the order is looked at. */
function action(label: string, kind: string, id: string, work: () => Promise<void>, { look }: StatusActions): HTMLButtonElement {
  const button = h("button", { class: kind, type: "button", id: id || null }, label);
  const trouble = h("div", { class: "wide" });
  button.addEventListener("click", async () => {
    if (isBusy(button)) return;
    const ready = busy(button);
    trouble.remove();
    try {
      await work();
    } catch (error) {
      trouble.replaceChildren(notice("bad", explain(error)));
      (button.closest(".pair") ?? button).before(trouble); // never between two buttons
    }
    await look();
    ready();
  });
  return button;
}

import type { Order, Refund } from "../api/types.ts";
import { h, icon, icons } from "../base/dom.ts";
import { money, ownDate } from "../i18n/format.ts";
import { plural, t } from "./page-words.ts";
import { why } from "./view.ts";

/** Every refund of an order: why the money goes back and how far it is, in words. Null when there is none. */
export function refundList(order: Order): HTMLElement | null {
  if (order.refunds.length === 0) return null;
  return h("section", { class: "sheet box refunds", "aria-labelledby": "refunds-title" },
    h("h2", { id: "refunds-title" }, t("refundsTitle")),
    h("ul", { class: "refund-list" }, ...order.refunds.map((r) => refundItem(order, r))));
}

function refundItem(order: Order, r: Refund): HTMLElement {
  return h("li", { class: "refund", "data-refund": r.refundId, "data-status": r.status },
    h("div", { class: "refund-head" }, h("b", { class: "num" }, money(r.amount)), h("span", { class: `tag ${TONES[r.status]}` }, t(`refund_${r.status}`))),
    h("p", null, whyText(order, r)),
    track(r),
    h("p", { class: "small soft" }, t(`refundLead_${r.status}`, { date: ownDate(r.updatedAt) })));
}

const TONES = { REQUESTED: "warn", PENDING: "warn", DONE: "ok", FAILED: "bad" } as const;

function whyText(order: Order, r: Refund): string {
  const reason = why(order, r);
  return reason === "returned" ? plural("why_returned", r.ticketIds.length) : t(`why_${reason}`);
}

/** Asked for, at the bank, paid back. */
function track({ status, createdAt }: Refund): HTMLElement {
  const at = { REQUESTED: 0, PENDING: 1, DONE: 2, FAILED: 1 }[status];
  const steps = [t("refundStepAsked"), t("refundStepBank"), t("refundStepDone")];
  return h("ol", { class: `refund-track ${status === "FAILED" ? "failed" : ""}`, "aria-label": t("refundTrack", { date: ownDate(createdAt) }) },
    ...steps.map((text, i) => h("li", { class: i < at || status === "DONE" ? "done" : i === at ? "now" : "", "aria-current": i === at && status !== "DONE" && "step" },
      icon(status === "FAILED" && i === at ? icons.alert : i < at || status === "DONE" ? icons.check : icons.clock), h("span", null, text))));
}

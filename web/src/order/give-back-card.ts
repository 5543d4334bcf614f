import type { Order } from "../api/types.ts";
import { h } from "../base/dom.ts";
import { ownDate } from "../i18n/format.ts";
import { t } from "./page-words.ts";

/** What can be given back, until when and at what price; the dialog is fetched when it is asked for. Null when nothing can. */
export function giveBackCard(order: Order, changed: () => Promise<void>): HTMLElement | null {
  const { refundable } = order;
  if (!refundable || refundable.ticketIds.length === 0) return null;
  const button = h("button", { class: "button quiet", type: "button", id: "give-back", "aria-haspopup": "dialog" }, t("giveBackOpen"));
  button.addEventListener("click", async () => {
    const { openGiveBack } = await import("./give-back.ts");
    openGiveBack(order, changed, button);
  });
  button.addEventListener("pointerenter", () => void import("./give-back.ts"), { once: true });
  return h("section", { class: "sheet give-back no-print", "aria-labelledby": "give-back-title" },
    h("div", null,
      h("h2", { id: "give-back-title" }, t("giveBackTitle")),
      h("p", { class: "soft small" }, [
        refundable.until ? t("giveBackUntil", { date: ownDate(refundable.until) }) : t("giveBackAny"),
        t(refundable.keepsFees ? "feesKept" : "feesBack")].join(" "))),
    button);
}

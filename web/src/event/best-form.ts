import { announce, h, icon, icons } from "../base/dom.ts";
import type { Money } from "../api/types.ts";
import { price } from "../i18n/format.ts";
import { count, t } from "./words.ts";
import { busy, isBusy } from "../ui/notice.ts";
import type { EventModel } from "./model.ts";

export interface BestQuery { quantity: number; maxPrice?: Money; accessible?: boolean }

/** "Best seats for you": quantity and highest price; accessible ones when the fan needs them. One press holds them. */
export function bestForm(model: EventModel, accessible: () => boolean, find: (query: BestQuery) => Promise<void>): HTMLElement {
  let quantity = Math.min(2, model.max);
  const out = h("output", { id: "quantity", "aria-live": "polite", "aria-labelledby": "quantity-label" }, count(quantity));
  const less = h("button", { type: "button", "aria-label": t("fewer"), onclick: () => step(-1) }, icon(icons.minus));
  const more = h("button", { type: "button", "aria-label": t("moreTickets"), onclick: () => step(1) }, icon(icons.plus));
  function step(by: number): void {
    quantity = Math.max(1, Math.min(model.max, quantity + by));
    out.textContent = count(quantity);
    less.setAttribute("aria-disabled", String(quantity <= 1));
    more.setAttribute("aria-disabled", String(quantity >= model.max));
    if (by > 0 && quantity === model.max) announce(t("chosenLimit", { n: model.max }), out);
  }
  step(0);

  const prices = [...new Map(model.detail.categories.map((c) => [c.price.amount, c.price])).values()].sort((a, b) => a.amount - b.amount);
  const select = h("select", { class: "select", id: "max-price" }, h("option", { value: "" }, t("anyPrice")),
    ...prices.slice(0, -1).map((p) => h("option", { value: p.amount }, t("upTo", { price: price(p) }))));
  const button = h("button", { class: "button wide" }, t("findSeats"));
  const submit = async (e: SubmitEvent): Promise<void> => {
    e.preventDefault();
    if (isBusy(button)) return;
    const ready = busy(button, t("holding"));
    await find({
      quantity,
      ...(select.value && { maxPrice: { amount: Number(select.value), currency: model.detail.currency } }),
      ...(accessible() && { accessible: true }),
    });
    ready();
  };
  return h("section", { class: "sheet box", "aria-labelledby": "best-title" },
    h("div", null, h("h2", { id: "best-title" }, t("bestTitle")), h("p", { class: "small soft" }, t("bestLead"))),
    h("form", { class: "best", onsubmit: submit },
      h("div", { class: "field", role: "group", "aria-labelledby": "quantity-label" },
        h("span", { class: "label", id: "quantity-label" }, t("tickets")), h("div", { class: "stepper" }, less, out, more)),
      h("div", { class: "field" }, h("label", { for: "max-price" }, t("maxPrice")), select),
      button));
}

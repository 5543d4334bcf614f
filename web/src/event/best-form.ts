import { announce, h, icon, icons } from "../base/dom.ts";
import { price } from "../i18n/format.ts";
import { count, t } from "./choosing-words.ts";
import { busy, isBusy } from "../ui/notice.ts";
import type { WishQuery } from "./filter.ts";
import type { EventModel } from "./model.ts";
import type { Part } from "./part.ts";

export interface BestQuery extends WishQuery { quantity: number }

/** "Best seats for you": how many and up to which price, within what else the fan looks for. One press holds them. */
export function bestForm(model: EventModel, find: (query: BestQuery) => Promise<void>): Part {
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

  const highest = highestPrice(model);
  const button = h("button", { class: "button wide" }, t("findSeats"));
  const submit = async (e: SubmitEvent): Promise<void> => {
    e.preventDefault();
    if (isBusy(button)) return;
    const ready = busy(button, t("holding"));
    await find({ quantity, ...model.filter.query() });
    ready();
  };
  const element = h("section", { class: "sheet box", "aria-labelledby": "best-title" },
    h("div", null, h("h2", { id: "best-title" }, t("bestTitle")), h("p", { class: "small soft" }, t("bestLead"))),
    h("form", { class: "best", onsubmit: submit },
      h("div", { class: "field", role: "group", "aria-labelledby": "quantity-label" },
        h("span", { class: "label", id: "quantity-label" }, t("tickets")), h("div", { class: "stepper" }, less, out, more)),
      h("div", { class: "field" }, h("label", { for: "max-price" }, t("maxPrice")), highest.element),
      button));
  return { element, stop: highest.stop };
}

/** The list of highest prices: a wish for the map and the lists too. */
function highestPrice(model: EventModel): Part {
  const { filter } = model;
  const element = h("select", { class: "select", id: "max-price", onchange: () => filter.set({ maxPrice: element.value ? Number(element.value) : undefined }) });
  const show = (): void => {
    const amounts = [...new Set(model.detail.categories.map((c) => model.shown(c.price).amount))].sort((a, b) => a - b).slice(0, -1);
    const { maxPrice } = filter.wishes; // set from elsewhere it may be between two prices
    const all = maxPrice === undefined || amounts.includes(maxPrice) ? amounts : [...amounts, maxPrice].sort((a, b) => a - b);
    element.replaceChildren(h("option", { value: "" }, t("anyPrice")), ...all.map((n) => h("option", { value: n }, t("upTo", { price: price(model.money(n)) }))));
    element.value = maxPrice === undefined ? "" : String(maxPrice);
  };
  show();
  return { element, stop: filter.watch(show) };
}

import { h } from "../base/dom.ts";
import type { Fee } from "../api/types.ts";
import { percent, price } from "../i18n/format.ts";
import { t } from "./words.ts";
import { CATEGORY_COLOURS } from "../map/theme.ts";
import type { EventModel } from "./model.ts";

/** The price list, which is also the map's legend and filter: one price at a time, or all. */
export function priceFilter(model: EventModel, filter: (hidden: number[]) => void): HTMLElement {
  const used = model.detail.categories;
  const buttons = used.map((c) => h("button", { class: "price", type: "button", "aria-pressed": "false", onclick: () => toggle(c.index) },
    h("i", { class: `cat-${c.index % CATEGORY_COLOURS}` }), h("b", null, price(c.price)), h("span", null, c.name)));
  let only: number | null = null;
  function toggle(index: number): void {
    only = only === index ? null : index;
    buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(used[i].index === only)));
    filter(only === null ? [] : used.map((c) => c.index).filter((i) => i !== only));
  }
  return h("section", { class: "box", "aria-labelledby": "prices-title" },
    h("h2", { id: "prices-title", class: "hush" }, t("legend")),
    h("div", { class: "prices" }, ...buttons),
    h("p", { class: "small soft" }, feesNote(model.detail.rules.fees ?? [])));
}

/** What is charged beside the prices. */
function feesNote(fees: readonly Fee[]): string {
  return fees.length > 0 ? t("plusFees", { fees: fees.map(feeNote).join(", ") }) : t("feesIncluded");
}

function feeNote({ name, per, amount, rate }: Fee): string {
  const params = { name, amount: amount ? price(amount) : percent(rate ?? 0) };
  return per === "ticket" ? t("feeTicket", params) : per === "order" ? t("feeOrder", params) : t("feePercent", params);
}

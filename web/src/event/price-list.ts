import type { EventDetail } from "../api/types.ts";
import { h } from "../base/dom.ts";
import { price } from "../i18n/format.ts";
import { CATEGORY_COLOURS } from "../map/theme.ts";
import { orderFees } from "./fee-note.ts";
import { allIn } from "./pricing.ts";
import { t } from "./words.ts";

/** What seats cost with all fees, in the map's colours, for whoever only looks. */
export function priceList({ categories, rules }: EventDetail): HTMLElement {
  return h("section", { class: "sheet box price-list", "aria-labelledby": "price-list-title" },
    h("h2", { id: "price-list-title" }, t("legend")),
    h("ul", null, ...categories.map((c) => h("li", null,
      h("i", { class: `cat-${c.index % CATEGORY_COLOURS}` }), h("span", null, c.name), h("b", { class: "num" }, price(allIn(rules, c.price)))))),
    h("p", { class: "small soft" }, orderFees(rules.fees)));
}

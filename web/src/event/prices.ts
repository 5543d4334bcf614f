import { h } from "../base/dom.ts";
import { price } from "../i18n/format.ts";
import { CATEGORY_COLOURS } from "../map/theme.ts";
import type { EventModel } from "./model.ts";
import type { Part } from "./part.ts";
import { t } from "./words.ts";

/** The price list, which is also the map's legend and a filter: those that are pressed, or all. */
export function priceFilter(model: EventModel): Part {
  const used = model.detail.categories, { filter } = model;
  const buttons = used.map((c) => h("button", { class: "price", type: "button", "aria-pressed": "false", onclick: () => toggle(c.key) },
    h("i", { class: `cat-${c.index % CATEGORY_COLOURS}` }), h("b", null, price(model.shown(c.price))), h("span", null, c.name)));
  const pressed = (key: string): boolean => filter.wishes.categories?.includes(key) ?? false;
  function toggle(key: string): void {
    const keys = used.map((c) => c.key).filter((k) => pressed(k) !== (k === key));
    filter.set({ categories: keys.length < used.length ? keys : [] }); // all of them are no wish
  }
  const show = (): void => buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(pressed(used[i].key))));
  show();
  const element = h("section", { class: "box", "aria-labelledby": "prices-title" },
    h("h2", { id: "prices-title", class: "hush" }, t("legend")),
    h("div", { class: "prices" }, ...buttons));
  return { element, stop: filter.watch(show) };
}

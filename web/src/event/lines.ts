import type { Hold, Money } from "../api/types.ts";
import { h, icon, icons } from "../base/dom.ts";
import { money, percent, price } from "../i18n/format.ts";
import { CATEGORY_COLOURS } from "../map/theme.ts";
import type { EventModel } from "./model.ts";
import { t } from "./words.ts";

// The lines of a choice or a hold: colour of the price, place, price.

function line(category: number, name: string, more: string, cost: Money, remove?: () => void): HTMLElement {
  return h("li", { class: remove ? "" : "fixed" },
    h("i", { class: `cat-${category % CATEGORY_COLOURS}` }),
    h("span", null, h("b", null, name), more && h("span", { class: "small soft" }, ` ${more}`)),
    h("span", { class: "num" }, price(cost)),
    remove && h("button", { class: "remove", type: "button", "aria-label": t("remove", { seat: name }), onclick: remove }, icon(icons.close)));
}

export const seatLine = (model: EventModel, o: number, remove?: (o: number) => void): HTMLElement =>
  line(model.chart.category[o], model.seatName(o), model.kindName(o), model.priceOf(o), remove && (() => remove(o)));

/** So many places of an area, as one line. */
export function areaLine(model: EventModel, section: number, n: number, remove?: (section: number) => void): HTMLElement {
  const each = model.areaPrice(section);
  return line(model.chart.sections[section].category, t("timesArea", { n, area: model.areaName(section) }), n > 1 ? t("each", { price: price(each) }) : "",
    { ...each, amount: each.amount * n }, remove && (() => remove(section)));
}

/** Fees, and what else is charged for no seat; nothing when there is none. */
export const feeLines = (fees: readonly [name: string, amount: Money][]): HTMLElement | string =>
  fees.length > 0 ? h("ul", { class: "fees" }, ...fees.map(([name, amount]) => h("li", null, h("span", null, name), h("span", { class: "num" }, money(amount))))) : "";

/** How much of a total is tax; nothing when there is none. */
export const taxNote = (tax: Money | undefined, rate = 0): HTMLElement | string =>
  tax && tax.amount > 0 ? h("p", { class: "small soft" }, t("taxIncluded", { tax: money(tax), rate: percent(rate) })) : "";

/** The seats of a hold one by one, and each area's places together. */
export function holdLines(model: EventModel, hold: Hold): HTMLElement[] {
  const { seats, areas } = model.sorted(hold.seats.map((s) => s.ordinal));
  return [...seats.map((o) => seatLine(model, o)), ...[...areas].map(([section, n]) => areaLine(model, section, n))];
}

/** What a hold costs beside its seats. */
export const holdFees = (hold: Hold): [name: string, amount: Money][] =>
  (hold.lines ?? []).filter((l) => l.kind !== "seat" && !l.included).map((l) => [l.name ?? "", l.amount]);

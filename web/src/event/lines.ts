import type { Hold, Money, PriceLine } from "../api/types.ts";
import { h, icon, icons } from "../base/dom.ts";
import { money, percent, price } from "../i18n/format.ts";
import { CATEGORY_COLOURS } from "../map/theme.ts";
import type { EventModel } from "./model.ts";
import { allIn, feesOf } from "./pricing.ts";
import { t } from "./choosing-words.ts";

// The lines of a choice or a hold: colour of the price, place, price with the fees that come with it.

function line(category: number, name: string, more: string, cost: Money, remove?: () => void): HTMLElement {
  return h("li", { class: remove ? "" : "fixed" },
    h("i", { class: `cat-${category % CATEGORY_COLOURS}` }),
    h("span", null, h("b", null, name), more && h("span", { class: "small soft" }, ` ${more}`)),
    h("span", { class: "num" }, price(cost)),
    remove && h("button", { class: "remove", type: "button", "aria-label": t("remove", { seat: name }), onclick: remove }, icon(icons.close)));
}

export const seatLine = (model: EventModel, o: number, cost: Money, remove?: (o: number) => void): HTMLElement =>
  line(model.chart.category[o], model.seatName(o), model.kindName(o), cost, remove && (() => remove(o)));

/** So many places of an area, as one line. */
export const areaLine = (model: EventModel, section: number, n: number, each: Money, remove?: (section: number) => void): HTMLElement =>
  line(model.chart.sections[section].category, t("timesArea", { n, area: model.areaName(section) }), n > 1 ? t("each", { price: price(each) }) : "",
    { ...each, amount: each.amount * n }, remove && (() => remove(section)));

/** What is charged for seats beside their lines or in them. */
type Charge = Pick<PriceLine, "name" | "per" | "amount">;

/**
 * What is charged once beside the lines of the seats, the total, and what fees and tax are in it. sum: of the seats' lines;
 * rate: of the tax.
 */
export function bill(sum: number, total: Money, charges: readonly Charge[], tax: Money, rate = 0): (HTMLElement | string)[] {
  const row = ({ name, amount }: Charge): HTMLElement => h("li", null, h("span", null, name), h("span", { class: "num" }, money(amount)));
  const once = charges.filter((c) => c.per === "order"), within = charges.filter((c) => !once.includes(c)).map(({ name, amount }) => `${name} ${money(amount)}`);
  const rest = once.reduce((left, { amount }) => left - amount.amount, total.amount - sum); // a share of a sum is no sum of shares
  if (rest) once.push({ name: t("rounding"), amount: { ...total, amount: rest } });
  if (tax.amount > 0) within.push(t("taxPart", { tax: money(tax), rate: percent(rate) }));
  return [
    once[0] ? h("ul", { class: "fees" }, ...once.map(row)) : "",
    h("p", { class: "sum" }, h("span", null, t("total")), h("span", { class: "num" }, money(total))),
    within[0] ? h("p", { class: "small soft" }, t("includes", { parts: within.join(", ") })) : ""];
}

/** The seats of a hold one by one, and each area's places together, at the prices of the moment in which they were held. */
export function holdLines(model: EventModel, hold: Hold): { seats: HTMLElement[]; bill: (HTMLElement | string)[] } {
  const charges = hold.lines.filter((l) => l.kind === "fee"), fees = feesOf(charges, hold.seats.length);
  const costs = new Map<number, Money>(); // by ordinal, and by ~section for areas
  let sum = 0;
  for (const { ordinal, price } of hold.seats) {
    const cost = allIn({ fees }, price);
    costs.set(ordinal, cost).set(~model.chart.section[ordinal], cost);
    sum += cost.amount;
  }
  const { seats, areas } = model.sorted(hold.seats.map((s) => s.ordinal));
  return {
    seats: [...seats.map((o) => seatLine(model, o, costs.get(o)!)), ...[...areas].map(([section, n]) => areaLine(model, section, n, costs.get(~section)!))],
    bill: bill(sum, hold.total, charges, hold.tax, model.detail.rules.taxPercent),
  };
}

import type { Money, PriceLine } from "../api/types.ts";
import { h } from "../base/dom.ts";
import { money, percent } from "../i18n/format.ts";
import { t } from "./page-words.ts";

/** What comes beside the seats (fees, discounts), the total, and the tax that is in it: the same under a choice, a hold and an order. */
export function costs(lines: readonly PriceLine[], total: Money, seats: number): HTMLElement[] {
  const beside = lines.filter((l) => l.kind !== "seat" && !l.included);
  const tax = lines.filter((l) => l.kind === "tax");
  return [
    ...(beside.length > 0 ? [h("ul", { class: "costs" }, ...beside.map((l) => cost(l, seats)))] : []),
    h("p", { class: "sum" }, h("span", null, t("total")), h("span", { class: "num" }, money(total))),
    ...tax.map((l) => h("p", { class: "small soft" }, t("taxIncluded", { rate: percent(l.rate ?? 0), tax: money(l.amount) })))];
}

function cost(l: PriceLine, seats: number): HTMLElement {
  const how = measure(l, seats);
  return h("li", null,
    h("span", null, l.name || t("discount"), how && h("span", { class: "small soft" }, ` ${how}`)),
    h("span", { class: "num" }, money(l.amount)));
}

/** How an amount came about: by percent, or so many times. */
function measure({ per, rate, amount }: PriceLine, seats: number): string {
  if (rate) return percent(rate);
  if (per !== "ticket" || seats < 2) return "";
  return `${seats} × ${money({ ...amount, amount: amount.amount / seats })}`;
}

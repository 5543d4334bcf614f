import type { EventDetail } from "../api/types.ts";
import { h } from "../base/dom.ts";
import { costOf } from "../event/pricing.ts";
import { plural, t } from "../event/words.ts";
import { money } from "../i18n/format.ts";
import type { SeatBook } from "../map/book.ts";

/** What was chosen so. asked: the button was pressed. */
export interface QuickChoice { asked: boolean; tap(event: EventDetail, o: number): void }

/** Choosing by tap before the panel is there: what the seats cost, and the button that asks for them. The choice is the book's, so the panel goes on with it. */
export function quickChoice(place: HTMLElement, book: SeatBook, touched: (o: number) => void, hold: () => void): QuickChoice {
  const { chosen, chart } = book;
  const choice = { asked: false, tap };
  return choice;

  function tap({ state, rules, currency, categories }: EventDetail, o: number): void {
    if (state !== "on_sale" || choice.asked) return;
    if (!chosen.delete(o)) {
      if (!book.choosable(o) || chosen.size >= rules.maxPerAccount) return;
      chosen.add(o);
    }
    touched(o);
    let prices = 0;
    for (const seat of chosen) prices += categories.find((c) => c.index === chart.category[seat])?.price.amount ?? 0;
    const button = h("button", { class: "button wide", type: "button", onclick: () => {
      choice.asked = true;
      button.setAttribute("aria-disabled", "true");
      hold();
    } }, plural("hold", chosen.size));
    place.replaceChildren(...(chosen.size > 0 ? [h("section", { class: "pl-quick" },
      h("p", { class: "sum" }, h("span", null, t("total")), h("span", { class: "num" }, money({ amount: costOf(rules, chosen.size, prices).total, currency }))),
      button)] : []));
  }
}

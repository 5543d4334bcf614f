import type { Money } from "../api/types.ts";
import { focusIn, h, icon, icons } from "../base/dom.ts";
import { price } from "../i18n/format.ts";
import { plural, t } from "./choosing-words.ts";
import { busy, isBusy } from "../ui/notice.ts";
import { areaLine, bill, seatLine } from "./lines.ts";
import type { EventModel } from "./model.ts";
import { isEdited, isHolding } from "../map/holding.ts";

export interface ChoiceActions {
  toggle(o: number): void;
  places(section: number, n: number): void;
  hold(): Promise<void>;
  undo(): void;
  point(o: number | null): void;
}

/** The fan's choice that is not held yet (or that would replace the hold), with the one button that asks for it. */
export class Choice {
  readonly element = h("section", { class: "dock", "aria-labelledby": "choice-title" });
  readonly #model: EventModel;
  readonly #actions: ChoiceActions;
  #button: HTMLButtonElement | null = null;

  constructor(model: EventModel, actions: ChoiceActions) {
    this.#model = model;
    this.#actions = actions;
    this.render();
  }

  render(): void {
    if (this.#button && isBusy(this.#button)) return; // it is being held: the answer renders
    const { book } = this.#model;
    const chosen = [...book.chosen].sort((a, b) => a - b), places = [...book.places];
    const changing = isHolding(book), n = book.size;
    const show = changing ? isEdited(book) : true;
    this.element.hidden = !show;
    this.element.classList.toggle("full", show && n > 0);
    if (!show) return this.element.replaceChildren();
    const title = h("h2", { id: "choice-title" }, t("chosenTitle"));
    if (n === 0) {
      this.element.replaceChildren(title, h("p", { class: "small soft" }, changing ? t("releaseSure") : t("chosenNone")), changing ? this.#undo() : "");
      return;
    }
    const focused = focusIn(this.element)?.classList.contains("remove");
    this.#button = h("button", { class: "button wide", type: "button", onclick: () => void this.#hold() },
      changing ? t("changeTo") : places.length > 0 ? plural("holdPlaces", n) : plural("hold", n));
    const model = this.#model, cost = model.cost(chosen, places);
    const each = chosen.map((o) => model.shown(model.priceOf(o))), ofArea = (section: number): Money => model.shown(model.areaPrice(section));
    this.element.replaceChildren(title,
      h("ul", { class: "chosen" }, ...chosen.flatMap((o, i) => this.#seat(o, each[i])),
        ...places.map(([section, many]) => areaLine(model, section, many, ofArea(section), (s) => this.#actions.places(s, 0)))),
      ...bill(places.reduce((sum, [section, many]) => sum + many * ofArea(section).amount, each.reduce((sum, { amount }) => sum + amount, 0)),
        model.money(cost.total), cost.fees.map(([fee, amount]) => ({ ...fee, amount: model.money(amount) })), model.money(cost.tax), model.detail.rules.taxPercent),
      this.#button, changing ? this.#undo() : "");
    if (focused) (this.element.querySelector<HTMLElement>(".remove") ?? this.#button).focus();
  }

  /** A seat's line, and for an accessible one the offer of its companion's. */
  #seat(o: number, cost: Money): HTMLElement[] {
    const line = seatLine(this.#model, o, cost, this.#actions.toggle);
    line.addEventListener("pointerenter", () => this.#actions.point(o));
    line.addEventListener("pointerleave", () => this.#actions.point(null));
    const [companion] = this.#model.book.size < this.#model.max ? this.#model.companions(o) : [];
    if (companion === undefined) return [line];
    return [line, h("li", { class: "offer" },
      h("p", { class: "small soft" }, t("companionLead")),
      h("button", { class: "button quiet", type: "button", onclick: () => this.#actions.toggle(companion) }, icon(icons.plus),
        t("companionAdd", { seat: this.#model.chart.number(companion), price: price(this.#model.shown(this.#model.priceOf(companion))) })))];
  }

  #undo(): HTMLElement {
    return h("button", { class: "button plain", type: "button", onclick: () => this.#actions.undo() }, t("undoChange"));
  }

  async #hold(): Promise<void> {
    const button = this.#button!;
    if (isBusy(button)) return;
    const ready = busy(button, t("holding"));
    await this.#actions.hold();
    ready();
    this.render();
  }
}

import { h, icon, icons } from "../base/dom.ts";
import { money, price } from "../i18n/format.ts";
import { plural, t } from "./words.ts";
import { CATEGORY_COLOURS } from "../map/theme.ts";
import { busy, isBusy } from "../ui/notice.ts";
import type { EventModel } from "./model.ts";

export interface ChoiceActions {
  toggle(o: number): void;
  hold(): Promise<void>;
  undo(): void;
  point(o: number | null): void;
}

/** A seat's line: colour of its price, place, price. */
export function seatLine(model: EventModel, o: number, remove?: (o: number) => void): HTMLElement {
  const name = model.seatName(o), kind = model.kindName(o);
  return h("li", { class: remove ? "" : "fixed" },
    h("i", { class: `cat-${model.chart.category[o] % CATEGORY_COLOURS}` }),
    h("span", null, h("b", null, name), kind && h("span", { class: "small soft" }, ` ${kind}`)),
    h("span", { class: "num" }, price(model.priceOf(o))),
    remove && h("button", { class: "remove", type: "button", "aria-label": t("remove", { seat: name }), onclick: () => remove(o) }, icon(icons.close)));
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
    const chosen = [...book.chosen].sort((a, b) => a - b);
    const changing = book.mine.size > 0;
    const show = changing ? book.edited : true;
    this.element.hidden = !show;
    this.element.classList.toggle("full", show && chosen.length > 0);
    if (!show) return this.element.replaceChildren();
    const title = h("h2", { id: "choice-title" }, t("chosenTitle"));
    if (chosen.length === 0) {
      this.element.replaceChildren(title, h("p", { class: "small soft" }, changing ? t("releaseSure") : t("chosenNone")), changing ? this.#undo() : "");
      return;
    }
    const focused = this.element.contains(document.activeElement) && document.activeElement?.classList.contains("remove");
    this.#button = h("button", { class: "button wide", type: "button", onclick: () => void this.#hold() },
      changing ? t("changeTo") : plural("hold", chosen.length));
    const items = chosen.map((o) => {
      const line = seatLine(this.#model, o, this.#actions.toggle);
      line.addEventListener("pointerenter", () => this.#actions.point(o));
      line.addEventListener("pointerleave", () => this.#actions.point(null));
      return line;
    });
    this.element.replaceChildren(title, h("ul", { class: "chosen" }, ...items),
      h("p", { class: "sum" }, h("span", null, t("total")), h("span", { class: "num" }, money(this.#model.total(chosen)))),
      this.#button, changing ? this.#undo() : "");
    if (focused) (this.element.querySelector<HTMLElement>(".remove") ?? this.#button).focus();
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

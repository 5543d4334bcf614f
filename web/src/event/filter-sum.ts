import { announce, h } from "../base/dom.ts";
import { count, plural, t } from "./choosing-words.ts";
import type { Filter, Wish } from "./filter.ts";
import type { EventModel } from "./model.ts";
import type { Part } from "./part.ts";

const CALM = 700; // ms between two counts while seats change by themselves

/** How many seats fit, and the way out: one press for all wishes, or where nothing fits, for the one that leaves nothing. */
export class FilterSum implements Part {
  readonly element = h("div", { class: "filter-sum", tabindex: -1 });
  readonly #model: EventModel;
  readonly #filter: Filter;
  readonly #unwatch: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shown = "";

  constructor(model: EventModel) {
    this.#model = model;
    this.#filter = model.filter;
    this.#unwatch = model.filter.watch(() => {
      this.#show();
      if (model.book.known) announce(this.#text(), this.element);
    });
    this.#show();
  }

  /** Seats changed: the count follows, calmly. */
  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#show();
    }, CALM);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#unwatch();
  }

  #text(): string {
    const n = this.#filter.count, shown = { n, count: count(n) };
    return this.#filter.active.length === 0 ? plural("seatsFree", n, shown) : n === 0 ? t("nothingFits") : plural("seatsFit", n, shown);
  }

  #show(): void {
    const { known } = this.#model.book, wishes = this.#filter.active, none = known && wishes.length > 0 && this.#filter.count === 0;
    const key = `${known}|${wishes.join()}|${this.#text()}`;
    this.element.hidden = !known;
    if (key === this.#shown || !known) return; // the buttons keep their focus
    this.#shown = key;
    this.element.classList.toggle("none", none);
    this.element.replaceChildren(h("p", null, this.#text()), ...(wishes.length === 0 ? [] : none ? this.#waysOut(wishes) : [this.#clear()]));
  }

  #drop(wish?: Wish): void {
    this.#filter.drop(wish);
    (this.element.querySelector<HTMLElement>("button") ?? this.element).focus(); // the pressed button is gone
  }

  #clear(): HTMLElement {
    return h("button", { class: "button plain", type: "button", onclick: () => this.#drop() }, t("clearFilters"));
  }

  /** The wishes without which there is something, with how much; all of them where it takes more than one. */
  #waysOut(wishes: readonly Wish[]): HTMLElement[] {
    const texts = { price: t("anyPrice"), sections: t("wholeVenue"), accessible: t("allPlaces") };
    const ways = wishes.map((wish): [Wish, number] => [wish, this.#filter.countWithout(wish)]).filter(([, n]) => n > 0);
    const buttons = ways.map(([wish, n]) => h("button", { class: "button quiet", type: "button", onclick: () => this.#drop(wish) },
      t("wayOut", { wish: texts[wish], n: count(n) })));
    return [h("div", { class: "ways" }, ...buttons), ...(wishes.length > 1 || ways.length === 0 ? [this.#clear()] : [])];
  }
}

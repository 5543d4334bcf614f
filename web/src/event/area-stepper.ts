import { announce, h, icon, icons } from "../base/dom.ts";
import { price } from "../i18n/format.ts";
import { CATEGORY_COLOURS } from "../map/theme.ts";
import type { EventModel } from "./model.ts";
import { count, plural, t } from "./choosing-words.ts";
import { roomIn } from "../map/holding.ts";

/** One area without numbered seats: its price, how many places are free, and how many of them the fan wants. */
export class AreaStepper {
  readonly element: HTMLElement;
  readonly #model: EventModel;
  readonly #section: number;
  readonly #free = h("span", { class: "small soft" });
  readonly #out = h("output", { "aria-live": "off" });
  readonly #less: HTMLButtonElement;
  readonly #more: HTMLButtonElement;

  constructor(model: EventModel, section: number, change: (section: number, n: number) => void) {
    this.#model = model;
    this.#section = section;
    const area = model.areaName(section);
    const step = (by: number): void => {
      const n = (model.book.places.get(section) ?? 0) + by;
      if (n >= 0) change(section, n);
    };
    this.#less = h("button", { type: "button", "aria-label": t("areaFewer", { area }), onclick: () => step(-1) }, icon(icons.minus));
    this.#more = h("button", { type: "button", class: "more", "aria-label": t("areaMore", { area }), onclick: () => step(1) }, icon(icons.plus));
    this.element = h("div", { class: "area", role: "group", "aria-label": area, "data-area": section },
      h("i", { class: `cat-${model.chart.sections[section].category % CATEGORY_COLOURS}` }),
      h("div", null, h("b", null, area), h("span", { class: "num" }, price(model.shown(model.areaPrice(section)))), this.#free),
      h("div", { class: "stepper" }, this.#less, this.#out, this.#more));
    this.update();
  }

  /** Shows what the book says now. */
  update(): void {
    const { book, chart } = this.#model, { from, to } = chart.sections[this.#section];
    const n = book.places.get(this.#section) ?? 0, free = Math.max(0, book.free[this.#section]);
    const text = free > 0 ? t("areaFree", { free: count(free), total: count(to - from) }) : t("areaFull");
    if (this.#free.textContent !== text) this.#free.textContent = text;
    this.#out.textContent = count(n);
    this.#less.setAttribute("aria-disabled", String(n <= 0));
    this.#more.setAttribute("aria-disabled", String(n >= roomIn(book, this.#section) || book.size >= this.#model.max));
    this.element.classList.toggle("some", n > 0);
  }

  focus(): void {
    this.#more.focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "center", behavior: "smooth" });
  }
}

/** The areas of the chart that have no numbered seats, or null. */
export class Areas {
  readonly element: HTMLElement;
  readonly #steppers: Map<number, AreaStepper>;

  constructor(model: EventModel, change: (section: number, n: number) => void) {
    this.#steppers = new Map(model.areas.map((s) => [s, new AreaStepper(model, s, change)]));
    this.element = h("section", { class: "sheet box areas", "aria-labelledby": "areas-title", hidden: model.areas.length === 0 },
      h("h2", { id: "areas-title" }, t("areasTitle")),
      ...[...this.#steppers.values()].map((s) => s.element));
  }

  update(): void {
    for (const stepper of this.#steppers.values()) stepper.update();
  }

  focus(section: number): void {
    this.#steppers.get(section)?.focus();
  }
}

/** Tells people who cannot see the stepper what is chosen now. */
export const sayPlaces = (model: EventModel, section: number, n: number, speaker: Element): void =>
  announce(plural("areaChosen", n, { area: model.areaName(section) }), speaker);

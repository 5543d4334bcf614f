import { h } from "../base/dom.ts";
import { price } from "../i18n/format.ts";
import { t } from "./choosing-words.ts";
import { LOOK } from "../map/book.ts";
import type { EventModel } from "./model.ts";

/** Where an arrow key leads in rows of different lengths: same place in the next row, as near as it has one. */
export function step(key: string, row: number, seat: number, lengths: readonly number[], page = 5): [row: number, seat: number] | null {
  const last = lengths.length - 1;
  const to = (r: number): [number, number] => {
    const next = Math.max(0, Math.min(last, r));
    return [next, Math.min(seat, lengths[next] - 1)];
  };
  switch (key) {
    case "ArrowRight": return [row, Math.min(lengths[row] - 1, seat + 1)];
    case "ArrowLeft": return [row, Math.max(0, seat - 1)];
    case "ArrowDown": return to(row + 1);
    case "ArrowUp": return to(row - 1);
    case "PageDown": return to(row + page);
    case "PageUp": return to(row - page);
    case "Home": return [row, 0];
    case "End": return [row, lengths[row] - 1];
    default: return null;
  }
}

/** One section as an ARIA grid: one tab stop, arrows, Home, End, Space. */
export class SeatGrid {
  readonly element = h("div", { class: "box", hidden: true });
  readonly #model: EventModel;
  readonly #toggle: (o: number) => void;
  readonly #cells = new Map<number, HTMLTableCellElement>();
  #section = -1;
  #active = -1; // the seat that has the tab stop

  constructor(model: EventModel, toggle: (o: number) => void) {
    this.#model = model;
    this.#toggle = toggle;
  }

  show(section: number): void {
    if (section === this.#section) return;
    this.#section = section;
    this.#cells.clear();
    this.element.hidden = section < 0 || this.#model.chart.sections[section].general;
    if (this.element.hidden) return;
    const { sections, rows } = this.#model.chart;
    const s = sections[section];
    this.#active = this.#model.choosable(s.from, s.to)[0] ?? s.from;
    const table = h("table", {
      class: "grid", role: "grid", "aria-multiselectable": "true", "aria-labelledby": "grid-title", "aria-describedby": "grid-help",
      onkeydown: (e: KeyboardEvent) => this.#key(e), onclick: (e: MouseEvent) => this.#click(e),
    }, h("tbody", null, ...rows.slice(s.rowFrom, s.rowTo).map((r) =>
      h("tr", null, h("th", { scope: "row" }, r.label), ...range(r.from, r.to).map((o) => this.#cell(o))))));
    this.element.replaceChildren(
      h("h3", { id: "grid-title" }, t("grid", { section: this.#model.sectionName(section) })), h("p", { id: "grid-help", class: "small soft" }, t("gridHelp")),
      h("div", { class: "grid-wrap" }, table));
  }

  /** The fan looks for something else. */
  repaint(): void {
    for (const [o, cell] of this.#cells) this.#paint(cell, o);
  }

  changed(ordinals: readonly number[]): void {
    for (const o of ordinals) {
      const cell = this.#cells.get(o);
      if (cell) this.#paint(cell, o);
    }
  }

  #cell(o: number): HTMLTableCellElement {
    const cell = h("td", { role: "gridcell", "data-o": o, tabindex: o === this.#active ? 0 : -1 }, this.#model.chart.number(o));
    this.#cells.set(o, cell);
    this.#paint(cell, o);
    return cell;
  }

  #paint(cell: HTMLTableCellElement, o: number): void {
    const look = this.#model.book.look(o), open = this.#model.book.choosable(o);
    cell.dataset.look = String(look);
    cell.setAttribute("aria-selected", String(look === LOOK.chosen || look === LOOK.mine));
    cell.setAttribute("aria-disabled", String(!open));
    cell.toggleAttribute("data-kept", look === LOOK.free && this.#model.book.keptFrom(o));
    cell.toggleAttribute("data-faint", look === LOOK.free && !this.#model.filter.offers(o));
    const parts = [this.#model.seatName(o), this.#model.kindName(o), this.#model.whyNot(o), open ? price(this.#model.shown(this.#model.priceOf(o))) : ""];
    cell.setAttribute("aria-label", parts.filter(Boolean).join(", "));
  }

  #click(e: MouseEvent): void {
    const cell = (e.target as Element).closest<HTMLElement>("td[data-o]");
    if (!cell) return;
    this.#focus(Number(cell.dataset.o));
    this.#toggle(Number(cell.dataset.o));
  }

  #key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.key === " " || e.key === "Enter") {
      e.preventDefault();
      return this.#toggle(this.#active);
    }
    const { sections, rows, row } = this.#model.chart;
    const { rowFrom, rowTo } = sections[this.#section];
    const here = rows[row[this.#active]];
    const lengths = rows.slice(rowFrom, rowTo).map((r) => r.to - r.from);
    const next = step(e.key, row[this.#active] - rowFrom, this.#active - here.from, lengths);
    if (!next) return;
    e.preventDefault();
    this.#focus(rows[rowFrom + next[0]].from + next[1]);
  }

  #focus(o: number): void {
    this.#cells.get(this.#active)?.setAttribute("tabindex", "-1");
    this.#active = o;
    const cell = this.#cells.get(o);
    cell?.setAttribute("tabindex", "0");
    cell?.focus();
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

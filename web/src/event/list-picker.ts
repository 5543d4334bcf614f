import { focusIn, h, icon, icons } from "../base/dom.ts";
import { AreaStepper } from "./area-stepper.ts";
import { price } from "../i18n/format.ts";
import { count, t } from "./choosing-words.ts";
import type { EventModel } from "./model.ts";
import { SeatGrid } from "./seat-grid.ts";
import { roomIn } from "../map/holding.ts";

/** Section, row, seat: three lists that offer only what can be chosen now, and the section as a table. */
export class ListPicker {
  readonly element: HTMLElement;
  readonly #model: EventModel;
  readonly #add: (o: number) => void;
  readonly #places: (section: number, n: number) => void;
  readonly #seatFields: HTMLElement;
  readonly #areaPlace = h("div", { hidden: true });
  #area: AreaStepper | null = null;
  #areaOf = -1;
  readonly #section = h("select", { class: "select", id: "pick-section" });
  readonly #row = h("select", { class: "select", id: "pick-row" });
  readonly #seat = h("select", { class: "select", id: "pick-seat" });
  readonly #button = h("button", { class: "button quiet wide" }, t("addSeat"));
  readonly #see = h("button", { class: "button plain see", type: "button", hidden: true }, icon(icons.eye), t("viewSection"));
  readonly #views: boolean;
  readonly #grid: SeatGrid;
  #stale = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(model: EventModel, toggle: (o: number) => void, places: (section: number, n: number) => void, looking: (section: number) => void, view?: (section: number) => void) {
    this.#model = model;
    this.#views = view !== undefined;
    this.#see.addEventListener("click", () => view?.(Number(this.#section.value)));
    this.#add = toggle;
    this.#places = places;
    this.#grid = new SeatGrid(model, toggle);
    this.#section.addEventListener("change", () => {
      this.#row.value = this.#seat.value = "";
      this.refresh();
      if (this.#section.value) looking(Number(this.#section.value));
    });
    this.#row.addEventListener("change", () => {
      this.#seat.value = "";
      this.refresh();
    });
    for (const select of [this.#section, this.#row, this.#seat]) select.addEventListener("focus", () => this.#stale && this.refresh());
    const field = (select: HTMLSelectElement, label: string): HTMLElement =>
      h("div", { class: "field" }, h("label", { for: select.id }, label), select);
    this.#seatFields = h("div", { class: "box" }, h("div", { class: "pair" }, field(this.#row, t("row")), field(this.#seat, t("seat"))), this.#button);
    this.element = h("div", { class: "box" },
      h("p", { class: "small soft" }, t("listChooseLead")),
      h("form", { class: "box", onsubmit: (e: SubmitEvent) => this.#submit(e) },
        field(this.#section, t("section")), this.#see, this.#seatFields, this.#areaPlace),
      this.#grid.element);
  }

  #open = false;

  /** Whether the lists are seen; they are kept only then. */
  setOpen(open: boolean): void {
    this.#open = open;
    this.refresh();
  }

  /** The fan looks for something else. */
  filtered(): void {
    this.#stale = true;
    this.#grid.repaint();
    this.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Seats changed: the open lists follow, at most once a second and never under somebody's hands. */
  changed(ordinals: readonly number[]): void {
    this.#stale = true;
    if (!this.#open) return;
    this.#grid.changed(ordinals);
    this.#area?.update();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (focusIn(this.element)?.tagName !== "SELECT") this.refresh();
    }, 1000);
  }

  /** The map looks at this section: the lists go there too, unless somebody is using them. */
  show(section: number): void {
    if (section < 0 || focusIn(this.element)) return;
    this.#section.value = String(section);
    if (this.#open) {
      this.#row.value = this.#seat.value = "";
      this.refresh();
    } else this.#wanted = section;
  }

  #wanted = -1;

  refresh(): void {
    if (!this.#open) return;
    this.#stale = false;
    const section = this.#section.value || (this.#wanted >= 0 ? String(this.#wanted) : "");
    this.#wanted = -1;
    fill(this.#section, t("chooseSection"), this.#sections(), section);
    this.#see.hidden = !this.#views || !this.#section.value;
    this.#showArea(this.#section.value ? Number(this.#section.value) : -1);
    fill(this.#row, t("chooseRow"), this.#section.value ? this.#rows(Number(this.#section.value)) : [], this.#row.value);
    fill(this.#seat, t("chooseSeat"), this.#row.value ? this.#seats(Number(this.#row.value)) : [], this.#seat.value);
    this.#row.disabled = !this.#section.value;
    this.#seat.disabled = !this.#row.value;
    this.#grid.show(this.#section.value ? Number(this.#section.value) : -1);
  }

  /** The choice of places has changed. */
  placesChanged(): void {
    this.#area?.update();
  }

  /** An area has no rows and seats to choose from, but a number of places. */
  #showArea(section: number): void {
    const general = section >= 0 && this.#model.chart.sections[section].general;
    this.#seatFields.hidden = general;
    this.#areaPlace.hidden = !general;
    if (section === this.#areaOf) return;
    this.#areaOf = section;
    this.#area = general ? new AreaStepper(this.#model, section, this.#places) : null;
    this.#areaPlace.replaceChildren(this.#area?.element ?? "");
  }

  #sections(): [string, string][] {
    const { chart, book } = this.#model;
    return chart.sections.flatMap((s, i): [string, string][] => {
      if (book.open[i] <= 0 && !(book.wanted === null && roomIn(book, i) > 0)) return [];
      const [low, high] = this.#model.sectionPrices(i);
      const range = low.amount === high.amount ? price(low) : `${price(low)}–${price(high)}`;
      return [[String(i), t("optionFree", { name: s.name, price: range, n: count(book.open[i]) })]];
    });
  }

  #rows(section: number): [string, string][] {
    const { rowFrom, rowTo } = this.#model.chart.sections[section];
    const out: [string, string][] = [];
    for (let r = rowFrom; r < rowTo; r++) {
      const { from, to, label } = this.#model.chart.rows[r];
      if (!this.#model.filter.offersRow(r)) continue;
      const free = this.#free(from, to).length;
      if (free > 0) out.push([String(r), t("optionRow", { row: label, n: count(free) })]);
    }
    return out;
  }

  #seats(row: number): [string, string][] {
    const { chart } = this.#model;
    return this.#free(chart.rows[row].from, chart.rows[row].to).map((o) => {
      const kind = this.#model.kindName(o);
      return [String(o), t("optionSeat", { seat: chart.number(o), price: price(this.#model.shown(this.#model.priceOf(o))) }) + (kind && ` · ${kind}`)];
    });
  }

  #free(from: number, to: number): number[] {
    return this.#model.choosable(from, to).filter((o) => !this.#model.book.chosen.has(o) && this.#model.filter.offers(o));
  }

  #submit(e: SubmitEvent): void {
    e.preventDefault();
    const empty = [this.#section, this.#row, this.#seat].find((s) => !s.value);
    if (empty) return empty.focus();
    const chosen = this.#seat.selectedIndex;
    this.#add(Number(this.#seat.value));
    this.refresh();
    this.#seat.selectedIndex = Math.min(chosen, this.#seat.options.length - 1); // the neighbour is offered next
  }
}

/** Puts options into a list and keeps the value when it still exists. */
function fill(select: HTMLSelectElement, empty: string, options: [string, string][], value: string): void {
  select.replaceChildren(h("option", { value: "" }, empty), ...options.map(([v, text]) => h("option", { value: v }, text)));
  select.value = options.some(([v]) => v === value) ? value : "";
}

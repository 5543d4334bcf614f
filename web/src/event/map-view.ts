import { h, icon, icons } from "../base/dom.ts";
import { price } from "../i18n/format.ts";
import { count, t } from "./words.ts";
import { LOOK } from "../map/book.ts";
import { indexChart } from "../map/chart.ts";
import { SeatMap } from "../map/seat-map.ts";
import { LiveSign } from "./live-sign.ts";
import { type MapFoot, mapFoot } from "./map-tools.ts";
import type { EventModel } from "./model.ts";

export interface MapActions {
  /** A seat was tapped; the answer is whether the tap did something. */
  tap(o: number): void;
  /** An area without numbered seats was. */
  area(section: number): void;
  looking(section: number): void;
  /** Shows what one sees from a section; without it the map does not offer that. */
  view?(section: number, host: HTMLElement): void;
}

/** The map with what lies over it: tools, tooltip, place, key, state of the connection. */
export class MapView {
  readonly map: SeatMap;
  readonly #model: EventModel;
  readonly #host: HTMLElement;
  readonly #tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  readonly #ring = h("div", { class: "ring", hidden: true, "aria-hidden": "true" });
  readonly #where = h("div", { class: "map-where", hidden: true });
  readonly sign = new LiveSign();
  readonly #foot: MapFoot;
  readonly #view: ((section: number) => void) | undefined;
  readonly #off = new AbortController();
  #tipTimer: ReturnType<typeof setTimeout> | undefined;

  /** host: an element of class "map", in the page or in a shadow root that has the map's styles. */
  constructor(host: HTMLElement, model: EventModel, actions: MapActions) {
    this.#host = host;
    this.#model = model;
    this.#view = actions.view && ((section) => actions.view!(section, host));
    this.map = new SeatMap(this.#host, indexChart(model.chart), model.book, {
      seatTap: (o) => {
        this.#tipSeat(o);
        actions.tap(o);
        this.#tipSeat(o);
        this.#tipFor(2500);
      },
      areaTap: (section) => actions.area(section),
      hover: (target, x, y) => this.#hover(target, x, y),
      passed: () => {
        this.#tipAt(this.#host.clientWidth / 2, this.#host.clientHeight / 2, 0, t("twoFingers"));
        this.#tipFor(1600);
      },
      lookingAt: (section) => {
        this.#showWhere(section);
        if (this.#spoken !== null) this.point(this.#spoken);
        this.#spoken = null;
        actions.looking(section);
      },
    }, { stage: t("stage"), places: (free, total) => t("areaMap", { free: count(free), total: count(total) }) });
    this.#foot = mapFoot(this.map, this.sign.element, model.hasAccessible);
    this.#parts = [this.#ring, this.#tip, this.#where, this.#foot.element];
    this.#host.append(...this.#parts);
    this.#host.addEventListener("keydown", (e) => this.#key(e), { signal: this.#off.signal });
    this.#unwatch = model.filter.watch(() => this.map.redraw());
  }

  readonly #parts: HTMLElement[];
  readonly #unwatch: () => void;

  /** Takes the map out of its host and leaves nothing behind. */
  destroy(): void {
    clearTimeout(this.#tipTimer);
    this.#off.abort();
    this.#unwatch();
    this.#foot.stop();
    this.sign.stop();
    this.map.destroy();
    for (const part of this.#parts) part.remove();
  }

  /** Puts a ring around a seat, or takes it away. */
  point(o: number | null): void {
    this.#ring.hidden = o === null || this.map.detail.level !== "near";
    if (o === null) return;
    const { x, y, r } = this.map.place(o);
    const size = r * 2 + 8;
    this.#ring.style.width = this.#ring.style.height = `${size}px`;
    this.#ring.style.transform = `translate(${x - size / 2}px, ${y - size / 2}px)`;
  }

  /** Shows seats that are spoken of: all in view, with a ring around the first. */
  look(seats: readonly number[]): void {
    this.#spoken = seats[0];
    this.map.showSeats(seats);
  }

  #spoken: number | null = null; // is ringed once the camera rests

  showSection(section: number): void {
    this.map.showSection(section);
  }

  #hover(target: { seat: number } | { section: number } | null, x: number, y: number): void {
    clearTimeout(this.#tipTimer);
    if (target === null) {
      this.#tip.hidden = true;
      return this.point(null);
    }
    if ("seat" in target) {
      this.#tipSeat(target.seat);
      return this.point(target.seat);
    }
    const { chart, book } = this.#model;
    const s = chart.sections[target.section];
    const [low, high] = this.#model.sectionPrices(target.section);
    const range = low.amount === high.amount ? price(low) : `${price(low)} – ${price(high)}`;
    this.#tipAt(x, y, 14, s.general ? s.name : t("sectionName", { section: s.name }), range,
      t(s.general ? "areaFree" : "freeOf", { free: count(book.free[target.section]), total: count(s.to - s.from) }));
  }

  #tipSeat(o: number): void {
    const { x, y, r } = this.map.place(o);
    const look = this.#model.book.look(o);
    const { chart } = this.#model;
    const open = look === LOOK.free || look >= LOOK.chosen;
    this.#tipAt(x, y, r + 6, t("seatName", { section: chart.sections[chart.section[o]].name, row: this.#model.rowLabel(o), seat: chart.number(o) }),
      [open ? price(this.#model.shown(this.#model.priceOf(o))) : "", open ? this.#model.whyNot(o) : this.#model.stateName(look)].filter(Boolean).join(" · "), this.#model.kindName(o));
  }

  #tipFor(ms: number): void {
    clearTimeout(this.#tipTimer);
    this.#tipTimer = setTimeout(() => (this.#tip.hidden = true), ms);
  }

  #tipAt(x: number, y: number, away: number, ...lines: string[]): void {
    this.#tip.replaceChildren(h("b", null, lines[0]), ...lines.slice(1).filter(Boolean).flatMap((l, i) => [i > 0 ? h("br", null) : "", h("span", null, l)]));
    this.#tip.hidden = false;
    const { offsetWidth: w, offsetHeight: ht } = this.#tip;
    const left = Math.max(6, Math.min(this.#host.clientWidth - w - 6, x - w / 2));
    const top = y - ht - away > 4 ? y - ht - away : y + away;
    this.#tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  #showWhere(section: number): void {
    this.#where.hidden = section < 0;
    if (section < 0) return;
    const { chart, book } = this.#model;
    const s = chart.sections[section];
    const out = h("button", { type: "button", "aria-label": t("fit"), onclick: () => this.map.fit() }, icon(icons.left));
    const view = this.#view && h("button", { type: "button", class: "view", "aria-label": t("viewHere"), title: t("viewHere"), onclick: () => this.#view!(section) }, icon(icons.eye));
    this.#where.replaceChildren(out, h("span", null, h("b", null, s.general ? s.name : t("sectionName", { section: s.name })), ` · ${t("freeOf", { free: count(book.free[section]), total: count(s.to - s.from) })}`), view ?? "");
  }

  #key(e: KeyboardEvent): void {
    if (e.target !== this.#host || e.ctrlKey || e.metaKey || e.altKey) return;
    const keys: Record<string, () => void> = {
      "+": () => this.map.zoom(1.5), "=": () => this.map.zoom(1.5), "-": () => this.map.zoom(1 / 1.5), "0": () => this.map.fit(),
      ArrowUp: () => this.map.nudge(0, -0.2), ArrowDown: () => this.map.nudge(0, 0.2),
      ArrowLeft: () => this.map.nudge(-0.2, 0), ArrowRight: () => this.map.nudge(0.2, 0),
    };
    const run = keys[e.key];
    if (!run) return;
    e.preventDefault();
    run();
  }
}

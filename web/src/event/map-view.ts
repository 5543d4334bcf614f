import { h, icon, icons } from "../base/dom.ts";
import { price } from "../i18n/format.ts";
import { count, t } from "./words.ts";
import { LOOK } from "../map/book.ts";
import { RowLabels } from "../map/row-labels.ts";
import type { SeatMap } from "../map/seat-map.ts";
import { nudge, placeOf, showSeats, zoom } from "../map/travel.ts";
import type { BareMap } from "./bare-map.ts";
import type { LiveSign } from "./live-sign.ts";
import { keyOf, mapKey, mapTools } from "./map-tools.ts";
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

/** What lies over the map and helps to find one's way: tools, tooltip, ring, place, key. It takes a map on that is there already. */
export class MapView {
  readonly map: SeatMap;
  readonly sign: LiveSign;
  readonly #bare: BareMap;
  readonly #model: EventModel;
  readonly #host: HTMLElement;
  readonly #tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  readonly #ring = h("div", { class: "ring", hidden: true, "aria-hidden": "true" });
  readonly #where = h("div", { class: "map-where", hidden: true });
  readonly #left = h("span", null);
  #section = -1; // that is named over the map
  readonly #view: ((section: number) => void) | undefined;
  readonly #off = new AbortController();
  #tipTimer: ReturnType<typeof setTimeout> | undefined;

  /** host: the map's. */
  constructor(host: HTMLElement, model: EventModel, bare: BareMap, actions: MapActions) {
    this.#host = host;
    this.#model = model;
    this.#bare = bare;
    this.map = bare.map;
    this.sign = bare.sign;
    this.#view = actions.view && ((section) => actions.view!(section, host));
    this.map.events = {
      seatTap: (o) => {
        this.#tipSeat(o);
        actions.tap(o);
        this.#tipSeat(o);
        this.#tipFor(2500);
      },
      areaTap: (section) => actions.area(section),
      hover: (at) => this.#hover(at),
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
      drew: () => this.#recount(),
    };
    bare.foot.before(this.#ring, this.#tip, this.#where);
    bare.foot.append(mapKey(model.hasAccessible), mapTools(this));
    host.addEventListener("keydown", (e) => this.#key(e), { signal: this.#off.signal });
    addEventListener("resize", () => this.point(null), { signal: this.#off.signal }); // what it was around is elsewhere now
    this.#unwatch = model.filter.watch(() => this.map.redraw());
    this.map.labelRows(new RowLabels(this.map.index));
    this.#showWhere(this.map.looking);
  }

  readonly #unwatch: () => void;

  /** Takes the map out of its host and leaves nothing behind. */
  destroy(): void {
    clearTimeout(this.#tipTimer);
    this.#off.abort();
    this.#unwatch();
    this.#bare.destroy();
    for (const part of [this.#ring, this.#tip, this.#where]) part.remove();
  }

  zoom(factor: number): void {
    zoom(this.map, this.#model.book, factor);
  }

  nudge(dx: number, dy: number): void {
    nudge(this.map, dx, dy);
  }

  fit(): void {
    this.map.fit();
  }

  showSeats(seats: readonly number[]): void {
    showSeats(this.map, seats);
  }

  /** Puts a ring around a seat, or takes it away. */
  point(o: number | null): void {
    this.#ring.hidden = o === null || this.map.detail.level !== "near";
    if (o === null) return;
    const { x, y, r } = placeOf(this.map, o);
    const size = r * 2 + 8;
    this.#ring.style.width = this.#ring.style.height = `${size}px`;
    this.#ring.style.transform = `translate(${x - size / 2}px, ${y - size / 2}px)`;
  }

  /** Shows seats that are spoken of: all in view, with a ring around the first. */
  look(seats: readonly number[]): void {
    this.#spoken = seats[0];
    this.showSeats(seats);
  }

  #spoken: number | null = null; // is ringed once the camera rests

  showSection(section: number): void {
    this.map.showSection(section);
  }

  #hover(at: { x: number; y: number } | null): void {
    clearTimeout(this.#tipTimer);
    const target = at && this.map.at(at.x, at.y);
    if (at) this.#host.style.cursor = target && (!("seat" in target) || this.#model.book.choosable(target.seat)) ? "pointer" : "grab";
    if (!at || !target) {
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
    this.#tipAt(at.x, at.y, 14, this.#model.sectionName(target.section), range,
      s.general ? t("areaFree", { free: count(book.free[target.section]), total: count(s.to - s.from) }) : this.#free(target.section));
  }

  #tipSeat(o: number): void {
    const { x, y, r } = placeOf(this.map, o);
    const look = this.#model.book.look(o);
    const open = look === LOOK.free || look >= LOOK.chosen;
    this.#tipAt(x, y, r + 6, this.#model.seatName(o),
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
    this.#section = section;
    if (section < 0) return;
    const out = h("button", { type: "button", "aria-label": t("fit"), onclick: () => this.map.fit() }, icon(icons.left));
    const view = this.#view && h("button", { type: "button", class: "view", "aria-label": t("viewHere"), title: t("viewHere"), onclick: () => this.#view!(section) }, icon(icons.eye));
    this.#where.replaceChildren(out, h("span", null, h("b", null, this.#model.sectionName(section)), this.#left), view ?? "");
    this.#recount();
  }

  /** What of a section can be chosen now, as the lists have it; "" before anybody knows. */
  #free(section: number): string {
    const { book } = this.#model;
    return book.known ? t("freeHere", { n: count(Math.max(0, book.open[section])) }) : "";
  }

  /** What is written over the map is as new as the map. */
  #recount(): void {
    if (this.#section < 0) return;
    const free = this.#free(this.#section), text = free && `, ${free}`;
    if (this.#left.textContent !== text) this.#left.textContent = text;
  }

  #key(e: KeyboardEvent): void {
    if (e.target !== this.#host || e.ctrlKey || e.metaKey || e.altKey) return;
    const run = keyOf(this, e.key);
    if (!run) return;
    e.preventDefault();
    run();
  }
}

import { h } from "../base/dom.ts";
import type { SeatBook } from "../map/book.ts";
import { indexChart } from "../map/chart.ts";
import type { Chart } from "../map/geometry.ts";
import { SeatMap } from "../map/seat-map.ts";
import { LiveSign } from "./live-sign.ts";
import { count, t } from "./words.ts";

/** The map, and the sign that says how it is kept true: what is seen first. MapView adds what helps to find one's way. */
export class BareMap {
  readonly map: SeatMap;
  readonly sign = new LiveSign();
  /** The band at the bottom of the map. The fitted venue stays above it. */
  readonly foot = h("div", { class: "map-foot" }, this.sign.element);
  readonly words = { stage: t("stage"), places: (free: number, total: number): string => t("areaMap", { free: count(free), total: count(total) }) };
  readonly #observer = new ResizeObserver(() => this.map.reserve(below(this.foot)));

  /** host: an element of class "map", in the page or in a shadow root that has the map's styles. */
  constructor(host: HTMLElement, chart: Chart, book: SeatBook) {
    this.map = new SeatMap(host, indexChart(chart), book, this.words);
    host.append(this.foot);
    this.#observer.observe(this.foot);
  }

  /** Takes the map out of its host and leaves nothing behind. */
  destroy(): void {
    this.#observer.disconnect();
    this.sign.stop();
    this.map.destroy();
    this.foot.remove();
  }
}

/** Pixels at the bottom of the map that its foot needs. */
export const below = (foot: HTMLElement): number => foot.offsetHeight + (parseFloat(getComputedStyle(foot).bottom) || 0) + 8;

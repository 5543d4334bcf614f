import { h } from "../base/dom.ts";
import { count } from "../i18n/speech.ts";
import { minuteOf, t, timeOf } from "./words.ts";
import { axis, closest, times } from "./scale.ts";

export interface Series { name: string; look: "a" | "b" | "c"; values: number[] }
export interface Span { from: number; to: number }
/** A bar: a whole of which a part is filled; young ones may still grow. */
export interface Bar { at: number; whole: number; part: number; young: boolean }

const NS = "http://www.w3.org/2000/svg";
const TOP = 8, BOTTOM = 24, RIGHT = 10, HEIGHT = 200;

function s(tag: string, props: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const el = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(props)) el.setAttribute(name, String(value));
  el.append(...children);
  return el;
}

/** Where things stand in a picture of some width: x of an instant, y of a number. */
class Frame {
  readonly left: number;
  readonly lines: number[];
  readonly width: number;
  readonly from: number;
  readonly to: number;

  constructor(width: number, from: number, to: number, most: number) {
    this.width = width;
    this.from = from;
    this.to = to;
    this.lines = axis(most);
    this.left = 12 + 7.2 * count(this.lines.at(-1)!).length;
  }
  x(at: number): number {
    return this.left + ((this.width - this.left - RIGHT) * (at - this.from)) / Math.max(this.to - this.from, 1);
  }
  y(n: number): number {
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(n / this.lines.at(-1)!, 1));
  }

  axes(): SVGElement[] {
    const across = this.lines.map((n) => s("g", { class: "tick" },
      s("line", { x1: this.left, x2: this.width - RIGHT, y1: this.y(n), y2: this.y(n) }),
      s("text", { x: this.left - 6, y: this.y(n) + 4, "text-anchor": "end" }, count(n))));
    const round = times(this.from, this.to, Math.max(2, Math.floor(this.width / 120))), label = round.some((at) => at % 60_000) ? timeOf : minuteOf;
    const along = round.map((at) => {
      const text = label(at), half = 3.6 * text.length + 2; // whole words at both ends
      return s("text", { x: Math.min(Math.max(this.x(at), this.left + 18), this.width - half), y: HEIGHT - 6, "text-anchor": "middle" }, text);
    });
    return [...across, s("g", { class: "tick" }, ...along)];
  }
}

/** A figure with a picture, its legend, and the same as a table. It keeps its place and its open table when redrawn. */
export class Figure {
  readonly element: HTMLElement;
  readonly #picture = h("div", { class: "picture" });
  readonly #legend = h("ul", { class: "legend" });
  readonly #table = h("table", { class: "rows-table" });
  readonly #name: string;
  #draw: (width: number) => SVGElement[] | null = () => null;
  #says = "";

  constructor(name: string) {
    this.#name = name;
    this.element = h("figure", { class: "sheet chart" },
      h("figcaption", null, h("h3", null, name), this.#legend), this.#picture,
      h("details", { class: "as-table" }, h("summary", null, t("opTable")),
        h("div", { class: "table-wrap", tabindex: 0, role: "region", "aria-label": `${name}: ${t("opTable")}` }, this.#table)));
    new ResizeObserver(() => this.#paint()).observe(this.#picture);
  }

  /** Lines over time; shaded spans lie behind them. */
  lines(at: number[], series: Series[], shaded: Span[]): void {
    this.#legend.replaceChildren(...series.map((one) => legend(one.name, `line-${one.look}`)), shaded.length ? legend(t("opPausedThen"), "shade") : "");
    this.#rows([t("opTime"), ...series.map((one) => one.name)], at.map((when, i) => [timeOf(when), ...series.map((one) => count(Math.round(one.values[i]!)))]));
    this.#says = series.map((one) => says(one.name, one.values)).join(" ");
    this.#draw = (width) => {
      if (at.length < 2) return null;
      const f = new Frame(width, at[0]!, at.at(-1)!, Math.max(...series.flatMap((one) => one.values), 1));
      return [
        ...shaded.map(({ from, to }) => s("rect", { class: "shade", x: f.x(from), width: Math.max(f.x(to) - f.x(from), 1), y: TOP, height: HEIGHT - TOP - BOTTOM })),
        ...f.axes(),
        ...series.map((one) => s("polyline", { class: `line-${one.look}`, points: one.values.map((n, i) => `${f.x(at[i]!).toFixed(1)},${f.y(n).toFixed(1)}`).join(" ") })),
      ];
    };
    this.#paint();
  }

  bars(bars: Bar[], whole: string, part: string): void {
    this.#legend.replaceChildren(legend(whole, "bar-whole"), legend(part, "bar-part"), bars.some((b) => b.young) ? legend(t("opYoung"), "bar-young") : "");
    this.#rows([t("opTime"), whole, part], bars.map((b) => [timeOf(b.at), count(Math.round(b.whole)), count(Math.round(b.part)) + (b.young ? " …" : "")]));
    this.#says = [says(whole, bars.map((b) => b.whole)), says(part, bars.map((b) => b.part))].join(" ");
    this.#draw = (width) => {
      if (bars.length === 0) return null;
      const last = bars.at(-1)!.at, step = closest(bars.map((b) => b.at));
      const f = new Frame(width, bars[0]!.at - step / 2, last + step / 2, Math.max(...bars.map((b) => Math.max(b.whole, b.part))));
      const wide = Math.min(Math.max(f.x(step) - f.x(0) - 2, 2), 40), base = f.y(0);
      const bar = (b: Bar, n: number, look: string): SVGElement => s("rect", { class: look, x: f.x(b.at) - wide / 2, width: wide, y: f.y(n), height: Math.max(base - f.y(n), 0) });
      return [...f.axes(), ...bars.flatMap((b) => [bar(b, b.whole, "bar-whole"), bar(b, b.part, b.young ? "bar-young" : "bar-part")])];
    };
    this.#paint();
  }

  #rows(head: string[], rows: string[][]): void {
    this.#table.replaceChildren(h("caption", { class: "hush" }, this.#name),
      h("thead", null, h("tr", null, ...head.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", null, ...rows.reverse().slice(0, 200).map((row) => h("tr", null, ...row.map((text, i) => i ? h("td", { class: "num" }, text) : h("th", { scope: "row" }, text))))));
  }

  #paint(): void {
    const width = this.#picture.clientWidth;
    if (width < 50) return; // not on screen yet
    const drawn = this.#draw(width);
    if (!drawn) return this.#picture.replaceChildren(h("p", { class: "soft small" }, t("opNoData")));
    this.#picture.replaceChildren(s("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": `${this.#name}. ${this.#says}` }, hatch(), ...drawn));
  }
}

const legend = (text: string, look: string): HTMLElement => {
  const key = s("svg", { viewBox: "0 0 24 12", width: 24, height: 12, "aria-hidden": "true" },
    look.startsWith("line") ? s("polyline", { class: look, points: "1,6 23,6" }) : s("rect", { class: look, x: 4, y: 0.5, width: 16, height: 11 }));
  const li = h("li", null, text);
  li.prepend(key);
  return li;
};

const says = (name: string, values: number[]): string =>
  t("opChartSays", { name, now: count(Math.round(values.at(-1) ?? 0)), most: count(Math.round(Math.max(...values, 0))) });

/** The pattern of bars that may still grow. One id for all: its picture is always the same. */
const hatch = (): SVGElement => s("defs", {}, s("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
  s("rect", { class: "hatch", width: 3, height: 6 })));

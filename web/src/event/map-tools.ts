import { h, icon, icons } from "../base/dom.ts";
import { t } from "./words.ts";
import type { SeatMap } from "../map/seat-map.ts";

export interface MapFoot { element: HTMLElement; stop(): void }

/** The band at the bottom of the map: state of the connection, key, buttons. The fitted venue stays above it. */
export function mapFoot(map: SeatMap, live: HTMLElement, accessible: boolean): MapFoot {
  const foot = h("div", { class: "map-foot" }, live, key(accessible), tools(map));
  const observer = new ResizeObserver(() => {
    const bottom = parseFloat(getComputedStyle(foot).bottom) || 0;
    map.reserve(Math.ceil(foot.offsetHeight + bottom + 8));
  });
  observer.observe(foot);
  return { element: foot, stop: () => observer.disconnect() };
}

function tools(map: SeatMap): HTMLElement {
  const tool = (path: string, label: string, run: () => void): HTMLElement =>
    h("button", { class: "map-tool", type: "button", "aria-label": label, title: label, onclick: run }, icon(path));
  return h("div", { class: "map-tools", role: "group", "aria-label": t("mapTools") },
    h("div", { class: "map-bar map-pan" },
      tool(icons.left, t("panLeft"), () => map.nudge(-0.3, 0)),
      tool(icons.up, t("panUp"), () => map.nudge(0, -0.3)),
      tool(icons.down, t("panDown"), () => map.nudge(0, 0.3)),
      tool(icons.right, t("panRight"), () => map.nudge(0.3, 0))),
    h("div", { class: "map-bar" },
      tool(icons.minus, t("zoomOut"), () => map.zoom(1 / 1.8)),
      tool(icons.plus, t("zoomIn"), () => map.zoom(1.8)),
      tool(icons.fit, t("fit"), () => map.fit())));
}

function key(accessible: boolean): HTMLElement {
  const item = (name: string, text: string): HTMLElement => h("li", null, h("i", { class: name }), text);
  return h("ul", { class: "key", "aria-hidden": "true" },
    item("free", t("keyFree")), item("held", t("keyHeld")), item("sold", t("keySold")), item("mine", t("keyMine")),
    accessible && h("li", null, icon(icons.wheelchair), t("keyAccessible")));
}

import { h, icon, icons } from "../base/dom.ts";
import { t } from "./words.ts";

/** What buttons and keys do with the map. */
export interface Steering { zoom(factor: number): void; nudge(dx: number, dy: number): void; fit(): void }

/** The map's buttons. */
export function mapTools(map: Steering): HTMLElement {
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

/** What a seat's shape says. */
export function mapKey(accessible: boolean): HTMLElement {
  const item = (name: string, text: string): HTMLElement => h("li", null, h("i", { class: name }), text);
  return h("ul", { class: "key", "aria-hidden": "true" },
    item("free", t("keyFree")), item("held", t("keyHeld")), item("sold", t("keySold")), item("mine", t("keyMine")),
    accessible && h("li", null, icon(icons.wheelchair), t("keyAccessible")));
}

/** What a key does on the map, or undefined. */
export function keyOf(map: Steering, key: string): (() => void) | undefined {
  const keys: Record<string, () => void> = {
    "+": () => map.zoom(1.5), "=": () => map.zoom(1.5), "-": () => map.zoom(1 / 1.5), "0": () => map.fit(),
    ArrowUp: () => map.nudge(0, -0.2), ArrowDown: () => map.nudge(0, 0.2),
    ArrowLeft: () => map.nudge(-0.2, 0), ArrowRight: () => map.nudge(0.2, 0),
  };
  return keys[key];
}

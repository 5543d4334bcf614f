import { h, icon, icons } from "../base/dom.ts";
import { t } from "../i18n/list.ts";
import { daysText, spanOf, todayHere } from "./days.ts";
import { type Filters, narrowed, none, type Part, without } from "./filters.ts";

/** What the list is narrowed to, each with a way to take it away. */
export function showChips(place: HTMLElement, f: Filters, change: (f: Filters) => void): void {
  const parts = narrowed(f);
  place.hidden = parts.length === 0;
  place.replaceChildren(
    ...parts.map((part) => chip(name(f, part), () => change(without(f, part)))),
    ...(parts.length > 1 ? [h("button", { class: "button plain", type: "button", onclick: () => change({ ...none, q: f.q }) }, t("clearAll"))] : []));
}

const chip = (what: string, remove: () => void): HTMLElement =>
  h("button", { class: "chip", type: "button", "aria-label": t("takeAway", { what }), onclick: remove }, h("bdi", null, what), icon(icons.close));

function name(f: Filters, part: Part): string {
  if (part === "near") return t("nearWithin", { km: f.km });
  if (part !== "days") return f[part];
  const span = spanOf(f.from, f.to, todayHere());
  return span === "" || span === "own" ? daysText(f.from, f.to) : t(`span_${span}`);
}

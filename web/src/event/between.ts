import type { EventDetail } from "../api/types.ts";
import { explain } from "../api/explain.ts";
import { h, icons } from "../base/dom.ts";
import { state } from "../ui/notice.ts";
import { priceList } from "./price-list.ts";
import { t } from "./words.ts";

// What the panel shows while something is on its way, or did not come.

/** The shape of what comes. */
export const bones = (): HTMLElement => h("div", { class: "box" }, ...[3, 8, 5].map((n) => {
  const bone = h("div", { class: "bone" });
  bone.style.height = `${n}rem`;
  return bone;
}));

/** The fan is being let in. */
export function lettingIn(e: EventDetail): HTMLElement[] {
  const bar = h("div", { class: "track unsure", "aria-hidden": "true" }, h("i", null));
  return [h("section", { class: "sheet box" }, h("h2", null, t("lettingIn")), h("p", { class: "soft" }, t("lettingInLead")), bar), priceList(e)];
}

/** It did not come: why, and a button that tries again. */
export const failed = (title: string, error: unknown, again: () => void): HTMLElement =>
  state(icons.alert, title, explain(error), h("button", { class: "button", type: "button", onclick: again }, t("retry")));

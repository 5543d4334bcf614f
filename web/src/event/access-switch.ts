import { h, icon, icons } from "../base/dom.ts";
import type { EventModel } from "./model.ts";
import type { Part } from "./part.ts";
import { t } from "./choosing-words.ts";

/** "I need an accessible place": shows those, and opens the ones that are kept for fans who do. */
export function accessSwitch(model: EventModel): Part {
  const { filter } = model;
  const box = h("input", {
    type: "checkbox", role: "switch", id: "accessible", "aria-describedby": "accessible-lead", onchange: () => filter.set({ accessible: box.checked }),
  });
  const show = (): void => void (box.checked = filter.wishes.accessible === true);
  show();
  const element = h("div", { class: "access", hidden: !model.hasAccessible },
    h("label", { for: "accessible" }, icon(icons.wheelchair), h("b", null, t("needAccessible")), box),
    h("p", { class: "small soft", id: "accessible-lead" }, t(model.kept ? "needAccessibleLead" : "needAccessibleFree")));
  return { element, stop: filter.watch(show) };
}

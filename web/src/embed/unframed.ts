import { byId, h, icons } from "../base/dom.ts";
import { state } from "../ui/notice.ts";
import { t } from "./words.ts";

/** What our frame shows where there is no page around it: the way to the event's own. */
export function sayUnframed(id: string): void {
  document.getElementById("map")?.remove();
  byId("title").replaceChildren("Plateia");
  byId("panel-inner").replaceChildren(state(icons.ticket, t("unframedTitle"), t("unframedLead"),
    h("a", { class: "button", href: `/events/${encodeURIComponent(id)}`, target: "_self" }, t("unframedGo"))));
}

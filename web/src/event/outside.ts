import type { EventDetail } from "../api/types.ts";
import { clock } from "../base/clock.ts";
import { h, icon, icons } from "../base/dom.ts";
import { clockFace } from "../base/countdown.ts";
import { shortDate } from "../i18n/format.ts";
import { spanText } from "../list/opening.ts";
import { state } from "../ui/notice.ts";
import { priceList } from "./price-list.ts";
import type { Stage } from "./stage.ts";
import { t } from "./words.ts";

/** What the panel shows to whoever cannot choose seats. */
export type Outside = Exclude<Stage, "shop" | "line">;

export interface Doors {
  signIn(): HTMLElement;
  /** The way to the waiting room. */
  enterDraw(label: string): HTMLElement;
}

/** Why nobody can choose seats, or the door to them; and what they cost. */
export function outside(stage: Outside, e: EventDetail, doors: Doors): HTMLElement[] {
  switch (stage) {
    case "sign-in": return [doors.signIn(), priceList(e)];
    case "soon": return [soon(e, doors), priceList(e)];
    case "sold-out": return [state(icons.ticket, t("soldOutTitle"), t("soldOutWait"), others()), alike(e.eventId)];
    case "paused": return [state(icons.clock, t("pausedTitle"), t("pausedLead")), priceList(e)];
    case "closed": return [state(icons.ticket, t("closedTitle"), t("closedLead"), others()), alike(e.eventId)];
    case "cancelled": return [state(icons.alert, t("cancelledTitle"), t("cancelledLead"), toOrders(), others("quiet")), alike(e.eventId)];
  }
}

const others = (kind = ""): HTMLElement => h("a", { class: `button ${kind}`, href: "/" }, t("backToEvents"));
const toOrders = (): HTMLElement => h("a", { class: "button", href: "/orders" }, t("toOrders"));

/** Events that are like this one, when they are there; nothing else waits for them. id null: no event is named. */
export function alike(id: string | null): HTMLElement {
  const place = h("div", null);
  import("../list/similar.ts").then(async ({ similarEvents }) => place.replaceChildren(...[await similarEvents(id, id ? 3 : 4)].filter((e) => e !== null)), () => {});
  return place;
}

const DAY = 86_400_000; // ms

/** When the sale begins, and how to take part. */
function soon(e: EventDetail, doors: Doors): HTMLElement {
  const opens = Date.parse(e.onSaleAt), left = h("b", { class: "num", role: "timer" });
  const show = (): void => {
    const ms = opens - clock.now();
    left.textContent = ms >= DAY ? spanText(ms) : clockFace(ms); // as its card in the list says it
  };
  show();
  const timer = setInterval(() => (left.isConnected ? show() : clearInterval(timer)), 1000);
  return h("section", { class: "sheet box soon", "aria-labelledby": "soon-title" },
    h("h2", { id: "soon-title" }, icon(icons.clock), t("soonTitle")),
    h("p", { class: "opens" }, h("span", { class: "small soft" }, t("soonIn")), left, h("span", { class: "small soft" }, shortDate(e.onSaleAt, e.timeZone))),
    h("p", { class: "soft" }, t("soonLead")), doors.enterDraw(t("soonEnter")));
}

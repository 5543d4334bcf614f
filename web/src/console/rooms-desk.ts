import { announce, h, icons } from "../base/dom.ts";
import { count } from "../i18n/speech.ts";
import { state } from "../ui/notice.ts";
import type { Desk } from "./desk.ts";
import { phaseTag } from "./numbers.ts";
import { look, rooms } from "./operator.ts";
import { RoomView } from "./room-view.ts";
import type { Room } from "./types.ts";
import { t } from "./words.ts";

/** The waiting rooms side by side, and the one that is looked at. */
export class RoomsDesk implements Desk {
  readonly every = 2000;
  readonly #list = h("ul", { class: "room-list" });
  readonly #shown = h("div", { class: "box" });
  readonly element = h("div", { class: "box" }, h("nav", { "aria-label": t("opRooms") }, this.#list), this.#shown);
  readonly #again: () => void;
  #view: RoomView | null = null;
  #asked = "";

  constructor(again: () => void) {
    this.#again = again;
  }

  async refresh(): Promise<void> {
    try {
      const all = (await rooms()).rooms, wanted = location.hash.slice(1);
      if (wanted && wanted !== this.#asked && !all.some((room) => room.eventId === wanted)) {
        this.#asked = wanted; // once: asking for a room arms it, if the event sells
        await look<Room>(wanted).then((room) => all.push(room), () => null);
      }
      this.#showList(all);
    } finally {
      await this.#view?.refresh();
    }
  }

  #showList(all: Room[]): void {
    const wanted = location.hash.slice(1);
    const chosen = all.find((room) => room.eventId === wanted) ?? all.find((room) => room.eventId === this.#view?.eventId) ?? all[0];
    if (!chosen) {
      this.#view = null;
      this.#list.replaceChildren();
      return this.#shown.replaceChildren(state(icons.clock, t("opNoRooms"), t("opNoRoomsLead")));
    }
    if (this.#view?.eventId !== chosen.eventId) {
      const first = this.#view === null;
      this.#view = new RoomView(chosen, this.#again);
      this.#shown.replaceChildren(this.#view.element);
      if (!first) announce(t("opShown", { title: chosen.title }));
    }
    const before = this.#list.querySelector("[aria-current]")?.getAttribute("href");
    showCards(this.#list, all.map((room) => card(room, room.eventId === chosen.eventId)));
    if (before !== `#${chosen.eventId}`) this.#list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }); // on phones they are a strip
  }
}

/** Draws a list of cards anew; the one that has the focus keeps it. */
export function showCards(list: HTMLElement, cards: HTMLElement[]): void {
  const focused = document.activeElement instanceof HTMLAnchorElement && list.contains(document.activeElement) ? document.activeElement.hash : "";
  list.replaceChildren(...cards);
  if (focused) list.querySelector<HTMLAnchorElement>(`a[href="${focused}"]`)?.focus();
}

function card(room: Room, current: boolean): HTMLElement {
  const full = h("span", { class: "gauge", "aria-hidden": "true" }, h("i", null));
  full.querySelector("i")!.style.width = `${Math.min(100, (100 * room.inside) / Math.max(room.target, 1))}%`;
  return h("li", null, h("a", { class: "sheet room-card", href: `#${room.eventId}`, "aria-current": current ? "true" : null },
    h("b", null, room.title), phaseTag(room.phase), full,
    h("span", { class: "soft small num" }, `${t("opInside")} ${count(room.inside)} ${t("opOf", { n: count(room.target) })} · ${t("opWaiting")} ${count(room.waiting)}`)));
}

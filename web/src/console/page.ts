import { Problem } from "../api/problem.ts";
import { announce, byId, h, icons } from "../base/dom.ts";
import { count } from "../i18n/speech.ts";
import { notice, state } from "../ui/notice.ts";
import { explained, field, form, input, submit, Unready } from "./form.ts";
import { phaseTag } from "./numbers.ts";
import { forget, keep, look, operator, rooms } from "./operator.ts";
import { RoomView } from "./room-view.ts";
import type { Room } from "./types.ts";
import { t } from "./words.ts";

interface List { rooms: Room[] }

const EVERY = 2000; // ms
const place = byId("content");

/** The console: signing in, the rooms side by side, and the one that is looked at. */
export class Console {
  readonly #says = h("div", { class: "box" });
  readonly #list = h("ul", { class: "room-list" });
  readonly #shown = h("div", { class: "box" });
  #view: RoomView | null = null;
  #asked = "";
  #timer = 0;
  #busy = false;

  start(): void {
    window.addEventListener("hashchange", () => void this.#look());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void this.#look());
    if (operator()) this.#open();
    else this.#signIn();
  }

  #signIn(why = ""): void {
    window.clearTimeout(this.#timer);
    this.#view = null;
    byId("account").replaceChildren();
    const who = input({ name: "who", maxlength: 60, autocomplete: "name" }), key = input({ type: "password", name: "key", maxlength: 400, autocomplete: "off" });
    const says = h("div", { class: "box" }, why ? notice("bad", why) : null), button = h("button", { class: "button", id: "op-enter" }, t("opEnter"));
    who.value = operator()?.who ?? "";
    const enter = (): void => void submit(button, says, async () => {
      if (!who.value.trim()) throw new Unready(t("opWhoHint"), who);
      try {
        await rooms<List>(key.value.trim());
      } catch (error) {
        throw error instanceof Problem && error.status === 401 ? new Unready(t("opBadKey"), key) : error;
      }
      keep({ who: who.value.trim(), key: key.value.trim() });
      this.#open();
    });
    place.replaceChildren(h("div", { class: "sheet op-sign-in" }, h("p", { class: "soft" }, t("opLead")),
      form(enter, field(t("opWho"), who, t("opWhoHint")), field(t("opKey"), key), says, button)));
  }

  #open(): void {
    byId("account").replaceChildren(h("span", { class: "small" }, t("opActing", { who: operator()!.who })),
      h("button", { class: "button quiet", type: "button", id: "op-leave", onclick: () => { forget(); this.#signIn(); } }, t("opLeave")));
    place.replaceChildren(this.#says, h("nav", { "aria-label": t("opRooms") }, this.#list), this.#shown);
    void this.#look();
  }

  /** Reads everything anew, and again in a while as long as somebody looks. */
  async #look(): Promise<void> {
    window.clearTimeout(this.#timer);
    if (!operator() || document.visibilityState === "hidden") return;
    if (!this.#busy) {
      this.#busy = true;
      await this.#refresh().finally(() => (this.#busy = false));
    }
    if (operator()) this.#timer = window.setTimeout(() => void this.#look(), EVERY);
  }

  async #refresh(): Promise<void> {
    try {
      const all = (await rooms<List>()).rooms, wanted = location.hash.slice(1);
      if (wanted && wanted !== this.#asked && !all.some((room) => room.eventId === wanted)) {
        this.#asked = wanted; // once: asking for a room arms it, if the event sells
        await look<Room>(wanted).then((room) => all.push(room), () => null);
      }
      this.#showList(all);
      this.#says.replaceChildren();
    } catch (error) {
      if (error instanceof Problem && error.status === 401) {
        forget();
        return this.#signIn(t("opBadKey"));
      }
      this.#says.replaceChildren(notice("warn", explained(error)));
    }
    await this.#view?.refresh();
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
      this.#view = new RoomView(chosen, () => void this.#look());
      this.#shown.replaceChildren(this.#view.element);
      if (!first) announce(t("opShown", { title: chosen.title }));
    }
    this.#cards(all, chosen.eventId);
  }

  /** Cards keep the focus when they are drawn anew. */
  #cards(all: Room[], chosen: string): void {
    const focused = document.activeElement instanceof HTMLAnchorElement && this.#list.contains(document.activeElement) ? document.activeElement.hash : "";
    this.#list.replaceChildren(...all.map((room) => card(room, room.eventId === chosen)));
    if (focused) this.#list.querySelector<HTMLAnchorElement>(`a[href="${focused}"]`)?.focus();
  }
}

function card(room: Room, current: boolean): HTMLElement {
  const full = h("span", { class: "gauge", "aria-hidden": "true" }, h("i", null));
  full.querySelector("i")!.style.width = `${Math.min(100, (100 * room.inside) / Math.max(room.target, 1))}%`;
  return h("li", null, h("a", { class: "sheet room-card", href: `#${room.eventId}`, "aria-current": current ? "true" : null },
    h("b", null, room.title), phaseTag(room.phase), full,
    h("span", { class: "soft small num" }, `${t("opInside")} ${count(room.inside)} ${t("opOf", { n: count(room.target) })} · ${t("opWaiting")} ${count(room.waiting)}`)));
}

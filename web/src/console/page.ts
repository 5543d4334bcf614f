import { Problem } from "../api/problem.ts";
import { byId, h } from "../base/dom.ts";
import { notice } from "../ui/notice.ts";
import type { Desk } from "./desk.ts";
import { explained, field, form, input, submit, Unready } from "./form.ts";
import { forget, keep, operator, rooms } from "./operator.ts";
import { PartnersDesk } from "./partners-desk.ts";
import { RoomsDesk } from "./rooms-desk.ts";
import { t } from "./words.ts";

const place = byId("content"), title = byId("desk-title"), tabs = byId("tabs");

/** The desks by the beginning of the address' hash. Whatever is none of their names is a room. */
const DESKS = {
  partners: { name: t("opPartners"), make: (again: () => void): Desk => new PartnersDesk(again) },
  rooms: { name: t("opTitle"), make: (again: () => void): Desk => new RoomsDesk(again) },
};

/** The console: signing in, and the desks at which something can be done. */
export class Console {
  readonly #says = h("div", { class: "box" });
  #desk: Desk | null = null;
  #name: keyof typeof DESKS | "" = "";
  #timer = 0;
  #busy = false;

  start(): void {
    window.addEventListener("hashchange", () => this.#open());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void this.#look());
    this.#open();
  }

  #signIn(why = ""): void {
    window.clearTimeout(this.#timer);
    this.#desk = null;
    this.#name = "";
    byId("account").replaceChildren();
    tabs.replaceChildren();
    title.textContent = t("opConsole");
    const who = input({ name: "who", maxlength: 60, autocomplete: "name" }), key = input({ type: "password", name: "key", maxlength: 400, autocomplete: "off" });
    const says = h("div", { class: "box" }, why ? notice("bad", why) : null), button = h("button", { class: "button", id: "op-enter" }, t("opEnter"));
    who.value = operator()?.who ?? "";
    const enter = (): void => void submit(button, says, async () => {
      if (!who.value.trim()) throw new Unready(t("opWhoHint"), who);
      try {
        await rooms(key.value.trim());
      } catch (error) {
        throw error instanceof Problem && error.status === 401 ? new Unready(t("opBadKey"), key) : error;
      }
      keep({ who: who.value.trim(), key: key.value.trim() });
      this.#open();
    });
    place.replaceChildren(h("div", { class: "sheet op-sign-in" }, h("p", { class: "soft" }, t("opLead")),
      form(enter, field(t("opWho"), who, t("opWhoHint")), field(t("opKey"), key), says, button)));
  }

  /** Shows the desk that the address names. */
  #open(): void {
    if (!operator()) return this.#signIn();
    const name = /^#partners\b/.test(location.hash) ? "partners" : "rooms";
    if (name !== this.#name) {
      this.#name = name;
      this.#desk = DESKS[name].make(() => void this.#look());
      title.textContent = DESKS[name].name;
      this.#bar();
      place.replaceChildren(this.#says, this.#desk.element);
    }
    void this.#look();
  }

  #bar(): void {
    tabs.replaceChildren(...(["rooms", "partners"] as const).map((name) =>
      h("a", { href: name === "rooms" ? "#" : `#${name}`, "aria-current": name === this.#name ? "page" : null }, DESKS[name].name)));
    byId("account").replaceChildren(h("span", { class: "small" }, t("opActing", { who: operator()!.who })),
      h("button", { class: "button quiet", type: "button", id: "op-leave", onclick: () => { forget(); this.#signIn(); } }, t("opLeave")));
  }

  /** Reads everything anew, and again in a while as long as somebody looks. */
  async #look(): Promise<void> {
    window.clearTimeout(this.#timer);
    if (!operator() || !this.#desk || document.visibilityState === "hidden") return;
    if (!this.#busy) {
      this.#busy = true;
      await this.#refresh(this.#desk).finally(() => (this.#busy = false));
    }
    if (operator()) this.#timer = window.setTimeout(() => void this.#look(), this.#desk.every);
  }

  async #refresh(desk: Desk): Promise<void> {
    try {
      await desk.refresh();
      this.#says.replaceChildren();
    } catch (error) {
      if (error instanceof Problem && error.status === 401) {
        forget();
        return this.#signIn(t("opBadKey"));
      }
      this.#says.replaceChildren(notice("warn", explained(error)));
    }
  }
}

import { json } from "../api/client.ts";
import type { EventCard } from "../api/types.ts";
import { h, icon, icons } from "../base/dom.ts";
import { count } from "../i18n/speech.ts";
import { shortDate, venueLine } from "../i18n/format.ts";
import { explained, field, input } from "./form.ts";
import { t } from "./words.ts";

const NAMED = 40; // events of a long list whose titles are asked for
const FOUND = 6, PAUSE = 250; // ms after the last letter

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A list of events: titles where they are known, and a search that adds more. */
export class EventPicker {
  readonly #chosen = h("ul", { class: "op-rows", id: "op-events" });
  readonly #found = h("ul", { class: "op-rows" });
  readonly #says = h("p", { class: "soft small", role: "status" });
  readonly #search = input({ type: "search", name: "event", maxlength: 100 });
  readonly element = h("div", { class: "box" }, this.#chosen, field(t("opFindEvent"), this.#search, t("opFindEventHint")), this.#says, this.#found);
  readonly #changed: () => void;
  readonly #titles = new Map<string, string>();
  #events: string[] = [];
  #timer = 0;
  #asked = 0;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#search.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => void this.#find(this.#search.value.trim()), PAUSE);
    });
    this.#search.addEventListener("keydown", (e) => e.key === "Enter" && e.preventDefault()); // it sends no form
  }

  get events(): string[] {
    return this.#events;
  }

  set events(ids: readonly string[]) {
    this.#events = [...ids];
    this.#show();
    for (const id of ids.slice(0, NAMED)) if (!this.#titles.has(id)) void this.#name(id);
  }

  #show(): void {
    this.#chosen.replaceChildren(...this.#events.map((id) => row(this.#titles.get(id) ?? id, t("opTakeOut"), icons.close, () => {
      this.#events = this.#events.filter((other) => other !== id);
      this.#show();
      this.#search.focus();
      this.#changed();
    })));
  }

  async #name(id: string): Promise<void> {
    try {
      this.#keep(await json<EventCard>(`/v1/events/${encodeURIComponent(id)}`));
      this.#show();
    } catch {
      return; // its id says enough
    }
  }

  #keep(e: EventCard): string {
    const title = `${e.title} · ${shortDate(e.startsAt, e.timeZone)} · ${venueLine(e.venue)}`;
    this.#titles.set(e.eventId, title);
    return title;
  }

  async #find(words: string): Promise<void> {
    const asked = ++this.#asked;
    try {
      const found = words === "" ? [] : await this.#ask(words);
      if (asked !== this.#asked) return;
      this.#says.textContent = words === "" ? "" : t(found.length ? "opEventsFound" : "opEventsNone", { n: count(found.length) });
      this.#found.replaceChildren(...found.filter((e) => !this.#events.includes(e.eventId)).map((e) => row(this.#keep(e), t("opPutIn"), icons.plus, () => this.#add(e.eventId))));
    } catch (error) {
      if (asked === this.#asked) this.#says.textContent = explained(error);
    }
  }

  async #ask(words: string): Promise<EventCard[]> {
    if (UUID.test(words)) return [await json<EventCard>(`/v1/events/${words.toLowerCase()}`)];
    return (await json<{ events: EventCard[] }>(`/v1/events?q=${encodeURIComponent(words.toLowerCase())}&limit=${FOUND}`)).events;
  }

  #add(id: string): void {
    this.#events.push(id);
    this.#show();
    this.#search.value = "";
    this.#search.focus();
    void this.#find("");
    this.#changed();
  }
}

/** A line with one thing that can be done to it. */
export const row = (text: string, label: string, path: string, run: () => void): HTMLElement =>
  h("li", null, h("span", null, text), h("button", { class: "remove", type: "button", "aria-label": `${label}: ${text}`, title: label, onclick: run }, icon(path)));

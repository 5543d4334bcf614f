import { json } from "../api/client.ts";
import { explain } from "../api/explain.ts";
import type { EventCard } from "../api/types.ts";
import { about } from "../base/clock.ts";
import { h, icons } from "../base/dom.ts";
import { plural, t } from "../i18n/list.ts";
import { count } from "../i18n/speech.ts";
import { notice, state } from "../ui/notice.ts";
import { card, onOffer } from "./card.ts";
import { type Filters, LIMIT, MOST, narrowed, none, question, relaxed } from "./filters.ts";
import { Openings } from "./opening.ts";

export interface Page { events: EventCard[]; nextCursor: string | null }

const RETRY = 8_000; // ms, about, until a list that did not come is asked for again
const RELOAD = 4_000; // ms after a sale has opened, and up to twice that: not everybody at once

/** The list of events under the filters. */
export class Results {
  readonly #cards: HTMLElement;
  readonly #found: HTMLElement;
  readonly #after: HTMLElement;
  readonly #search: (f: Filters) => void;
  readonly #counted: (found: string) => void;
  readonly #openings = new Openings();
  #filters: Filters = none;
  #run = 0; // of the newest question: answers of older ones are dropped
  #reload: ReturnType<typeof setTimeout> | undefined;

  /** search looks for something else; counted hears how many events were found, in words, "" for none. */
  constructor(cards: HTMLElement, found: HTMLElement, after: HTMLElement, search: (f: Filters) => void, counted: (found: string) => void) {
    [this.#cards, this.#found, this.#after, this.#search, this.#counted] = [cards, found, after, search, counted];
  }

  /** How many events are shown. */
  get shown(): number {
    return this.#cards.querySelectorAll("[data-event]").length;
  }

  /** Shows what the filters find: the first page, or as many events as were shown before. */
  async show(filters: Filters, before = 0): Promise<void> {
    this.#filters = filters;
    await this.#load("", Math.min(MOST, Math.max(LIMIT, Math.ceil(before / LIMIT) * LIMIT)));
  }

  async #load(cursor: string, limit = LIMIT): Promise<void> {
    const mine = ++this.#run, filters = this.#filters;
    clearTimeout(this.#reload);
    this.#cards.setAttribute("aria-busy", "true");
    try {
      const page = await json<Page>(question(filters, cursor, limit), { cache: "no-cache" }); // fresh answers set the clock
      if (mine !== this.#run) return;
      this.#put(page, cursor !== "");
      if (this.shown === 0 && cursor === "") await this.#instead(filters, mine);
    } catch (error) {
      if (mine !== this.#run) return;
      this.#failed(error, cursor, limit);
    }
    if (mine === this.#run) this.#cards.setAttribute("aria-busy", "false");
  }

  /** No list, or no more of it. What nobody has seen yet is asked for again by itself. */
  #failed(error: unknown, cursor: string, limit: number): void {
    const again = (): void => void this.#load(cursor, limit);
    if (cursor) return this.#after.replaceChildren(notice("bad", explain(error), { label: t("retry"), run: again }));
    this.#reload = setTimeout(again, about(RETRY));
    const button = h("button", { class: "button", type: "button", onclick: again }, t("retry")), pressed = this.#after.contains(document.activeElement);
    this.#cards.replaceChildren();
    this.#after.replaceChildren(state(icons.alert, t("listFailed"), explain(error), button));
    if (pressed) button.focus();
  }

  #put(page: Page, append: boolean): void {
    const items = page.events.map((e) => card(e, this.#openings, () => this.#opened()));
    if (append) {
      this.#cards.append(...items);
      items[0]?.querySelector("a")?.focus();
    } else this.#cards.replaceChildren(...items);
    const n = this.shown;
    const found = n > 0 ? plural("found", n, { n: page.nextCursor ? `${count(n)}+` : count(n) }) : "";
    this.#found.textContent = found;
    this.#counted(found);
    const next = page.nextCursor;
    this.#after.replaceChildren(...(next ? [h("button", { class: "button quiet", type: "button", onclick: () => void this.#load(next) }, t("more"))] : []));
  }

  /** A sale has opened: a little later the list says so. Somebody who has turned pages keeps them. */
  #opened(): void {
    if (this.shown > MOST) return;
    clearTimeout(this.#reload);
    this.#reload = setTimeout(() => {
      if (document.visibilityState === "visible") void this.#again();
      else document.addEventListener("visibilitychange", () => void this.#again(), { once: true });
    }, RELOAD * (1 + Math.random()));
  }

  /** Loads the same again and keeps the focus where it is. */
  async #again(): Promise<void> {
    const on = document.activeElement?.closest<HTMLElement>("[data-event]")?.dataset.event;
    await this.show(this.#filters, this.shown);
    if (on) this.#cards.querySelector<HTMLElement>(`[data-event="${CSS.escape(on)}"] a`)?.focus();
  }

  /** Nothing was found: says so, and shows what a wider question finds. */
  async #instead(filters: Filters, mine: number): Promise<void> {
    const everything = h("button", { class: "button", type: "button", onclick: () => this.#search(none) }, t("showAll"));
    const words = narrowed(filters).length === 0;
    const said = !words ? state(icons.search, t("listNone"), t("listNoneLead"), everything)
      : filters.q ? state(icons.search, t("listEmpty", { q: filters.q }), t("listEmptyLead"), everything)
        : state(icons.ticket, t("listNothing"), t("listNothingLead"));
    this.#after.replaceChildren(said);
    for (const wider of relaxed(filters)) {
      const page = await json<Page>(question(wider, "", LIMIT)).catch(() => null);
      if (mine !== this.#run || !page) return;
      const some = page.events.filter(onOffer);
      if (some.length === 0) continue;
      this.#after.append(section(t("listPerhaps"), some.slice(0, 4).map((e) => card(e, this.#openings, () => {}))));
      return;
    }
  }
}

/** A list of cards under a heading. */
export const section = (title: string, cards: HTMLElement[]): HTMLElement =>
  h("section", { class: "others", "aria-label": title }, h("h2", null, title), h("ul", { class: "cards" }, ...cards));

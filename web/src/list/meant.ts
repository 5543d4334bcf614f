import { json } from "../api/client.ts";
import type { Suggestions } from "../api/types.ts";
import { h } from "../base/dom.ts";
import { t } from "../i18n/list.ts";
import type { Filters } from "./filters.ts";

const SHOWN = 5;

/** Cities, genres and venues that typed words may mean: one press narrows the list to it instead of searching for the word. */
export class Meant {
  readonly #place: HTMLElement;
  readonly #change: (f: Filters) => void;
  #run = 0;

  constructor(place: HTMLElement, change: (f: Filters) => void) {
    [this.#place, this.#change] = [place, change];
  }

  async show(f: Filters): Promise<void> {
    const mine = ++this.#run, q = f.q.trim().toLowerCase();
    const found = q.length < 2 ? null : await json<Suggestions>(`/v1/suggestions?${new URLSearchParams({ q })}`, { again: false }).catch(() => null);
    if (mine !== this.#run) return;
    const buttons = found ? this.#buttons(f, found).slice(0, SHOWN) : [];
    this.#place.hidden = buttons.length === 0;
    this.#place.replaceChildren(...buttons);
  }

  #buttons(f: Filters, found: Suggestions): HTMLElement[] {
    const way = (kind: string, name: string, narrowed: Partial<Filters>): HTMLElement =>
      h("button", { class: "chip", type: "button", onclick: () => this.#change({ ...f, q: "", ...narrowed }) }, h("span", { class: "soft" }, kind), h("bdi", null, name));
    return [
      ...found.cities.slice(0, 2).map((s) => way(t("kindCity"), s.name, { city: s.name })),
      ...found.genres.slice(0, 2).map((s) => way(t("kindGenre"), s.name, { genre: s.name })),
      ...found.venues.slice(0, 2).map((s) => way(t("kindVenue"), s.name, { venue: s.name })),
    ];
  }
}

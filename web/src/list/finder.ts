import { json } from "../api/client.ts";
import type { Suggestion, Suggestions } from "../api/types.ts";
import { announce, byId, h } from "../base/dom.ts";
import { t } from "../i18n/list.ts";
import { daysOf, type Span, spanOf, todayHere } from "./days.ts";
import { type Filters, KM, narrowed, none, type Point, rounded, without } from "./filters.ts";

/** The form that narrows the list: a bar beside the list, a sheet on phones. */
export class Finder {
  readonly #form = byId<HTMLFormElement>("finder");
  readonly #sheet = byId<HTMLDialogElement>("finder-sheet");
  readonly #near = byId<HTMLButtonElement>("near");
  readonly #change: (f: Filters) => void;
  #filters: Filters = none;
  #asked = false; // for suggestions
  #plain: string | null = null; // what the sheet's button says while nothing is counted

  constructor(change: (f: Filters) => void) {
    this.#change = change;
    const place = this.#form.parentElement!;
    byId("open-finder").addEventListener("click", () => {
      byId("finder-place").append(this.#form);
      this.#sheet.showModal();
    });
    this.#sheet.addEventListener("close", () => place.append(this.#form));
    matchMedia("(min-width: 48.01rem)").addEventListener("change", (e) => e.matches && this.#sheet.close()); // there is room beside the list now
    byId("close-finder").addEventListener("click", () => this.#sheet.close());
    byId("done-finder").addEventListener("click", () => this.#sheet.close());
    byId("clear-finder").addEventListener("click", () => this.#change({ ...none, q: this.#filters.q }));
    this.#form.addEventListener("focusin", () => void this.#suggest(), { once: true });
    this.#form.addEventListener("submit", (e) => {
      e.preventDefault();
      this.#read();
    });
    this.#form.addEventListener("change", (e) => this.#read(e.target as HTMLElement));
    this.#form.addEventListener("input", (e) => this.#chosen(e.target as HTMLInputElement));
    this.#near.addEventListener("click", () => void this.#askNear());
    byId("sort").addEventListener("change", () => this.#read());
  }

  /** Shows what is looked for. */
  show(f: Filters): void {
    this.#filters = f;
    const span = spanOf(f.from, f.to, todayHere());
    this.#set("city", f.city);
    this.#set("venue", f.venue);
    this.#option("genre", f.genre);
    this.#set("km", String(f.km));
    this.#set("when", span);
    this.#set("from", f.from);
    this.#set("to", f.to);
    this.#near.setAttribute("aria-pressed", String(f.near !== null));
    byId("within").hidden = !f.near;
    byId("days").hidden = span !== "own";
    const sort = byId<HTMLSelectElement>("sort");
    sort.querySelector<HTMLOptionElement>('[value="distance"]')!.disabled = !f.near;
    sort.value = f.sort;
    const n = narrowed(f).length;
    byId("narrowed").textContent = n > 0 ? `(${n})` : "";
  }

  /** Says on the sheet's button what is behind it. */
  found(events: string): void {
    const done = byId("done-finder");
    this.#plain ??= done.textContent;
    done.textContent = events ? t("showFound", { events }) : this.#plain;
  }

  #field(name: string): HTMLInputElement {
    return this.#form.elements.namedItem(name) as HTMLInputElement;
  }

  #set(name: string, value: string): void {
    const field = this.#field(name);
    if (field !== document.activeElement || field.value === "" || value === "" || field.tagName === "SELECT") field.value = value;
  }

  /** A genre of the address that nobody suggested is an option as well. */
  #option(name: string, value: string): void {
    const select = this.#field(name) as unknown as HTMLSelectElement;
    const found = [...select.options].find((o) => o.value.toLowerCase() === value.toLowerCase());
    if (!found) select.append(h("option", { value }, value));
    select.value = found?.value ?? value;
  }

  /** What a list offers is chosen at once; other words are read when the field is left. */
  #chosen(field: HTMLInputElement): void {
    const offered = [...(field.list?.options ?? [])];
    if (field.value === "" ? this.#filters[field.name as "city"] !== "" : offered.some((o) => o.value === field.value)) this.#read(field);
  }

  #read(from?: HTMLElement): void {
    const value = (name: string): string => this.#field(name).value.trim();
    const when = value("when"), own = when === "own";
    let days = when === "" || own ? { from: "", to: "" } : daysOf(when as Span, todayHere());
    if (own) {
      days = { from: value("from"), to: value("to") };
      byId("days").hidden = false;
      if (from === this.#field("when")) return this.#field("from").focus(); // no day is chosen yet
      if (days.from && days.to && days.to < days.from) days = { from: days.to, to: days.from };
    }
    const sort = byId<HTMLSelectElement>("sort").value as Filters["sort"];
    this.#change({ ...this.#filters, city: value("city"), venue: value("venue"), genre: value("genre"), km: Number(value("km")) || KM, ...days, sort });
  }

  /** Asks the browser where it is, only ever by a press; another press lets the place go. */
  async #askNear(): Promise<void> {
    const told = byId("near-told");
    told.textContent = "";
    if (this.#filters.near) return this.#change(without(this.#filters, "near"));
    this.#near.setAttribute("aria-busy", "true");
    const point = await whereAmI();
    this.#near.removeAttribute("aria-busy");
    if (point) return this.#change({ ...this.#filters, near: point, city: "" });
    told.textContent = t("nearUnknown");
    announce(t("nearUnknown"));
  }

  /** The names of cities, venues and genres that have events, fetched when somebody goes for the form. */
  async #suggest(): Promise<void> {
    if (this.#asked) return;
    this.#asked = true;
    const all = await json<Suggestions>("/v1/suggestions", { again: false }).catch(() => null);
    this.#asked = all !== null;
    if (!all) return this.#form.addEventListener("focusin", () => void this.#suggest(), { once: true });
    offer("cities", all.cities);
    offer("venues", all.venues);
    const genre = this.#field("genre") as unknown as HTMLSelectElement, kept = genre.value;
    genre.replaceChildren(genre.options[0]!, ...all.genres.map((g) => h("option", { value: g.name }, g.name)));
    this.#option("genre", kept);
    for (const [name, list] of [["city", "cities"], ["venue", "venues"]] as const) this.#typed(name, list);
  }

  /** More suggestions for what is typed, where there may be more than were told. */
  #typed(name: "city" | "venue", list: "cities" | "venues"): void {
    let wait: ReturnType<typeof setTimeout>;
    this.#field(name).addEventListener("input", () => {
      clearTimeout(wait);
      const q = this.#field(name).value.trim().toLowerCase();
      if (q.length < 2) return;
      wait = setTimeout(async () => {
        const found = await json<Suggestions>(`/v1/suggestions?${new URLSearchParams({ q })}`, { again: false }).catch(() => null);
        if (found) offer(list, found[list]);
      }, 250);
    });
  }
}

/** Adds names to a field's list. */
function offer(list: string, found: Suggestion[]): void {
  const all = byId(list), known = new Set([...all.children].map((o) => (o as HTMLOptionElement).value));
  for (const s of found) if (!known.has(s.name)) all.append(h("option", { value: s.name }, s.city ?? ""));
}

const PATIENCE = 15_000, OLD = 600_000; // ms for an answer, and how old it may be

const whereAmI = (): Promise<Point | null> => new Promise((answer) => {
  if (!("geolocation" in navigator)) return answer(null);
  navigator.geolocation.getCurrentPosition(
    ({ coords }) => answer(rounded({ lat: coords.latitude, lon: coords.longitude })), () => answer(null),
    { enableHighAccuracy: false, timeout: PATIENCE, maximumAge: OLD });
});

import { json } from "../api/client.ts";
import { explain } from "../api/explain.ts";
import type { Availability, EventCard } from "../api/types.ts";
import { byId, h, icons } from "../base/dom.ts";
import { eventDate, price, shortDate, stub, venueLine } from "../i18n/format.ts";
import { plural, t } from "../i18n/list.ts";
import { count } from "../i18n/speech.ts";
import { startPage } from "../ui/account.ts";
import { notice, state } from "../ui/notice.ts";
import { tone } from "../ui/tone.ts";

const cards = byId("cards"), found = byId("found"), after = byId("after"), field = byId<HTMLInputElement>("q");
const TAGS: Record<Availability, string> = { available: "ok", limited: "warn", sold_out: "off", cancelled: "bad", on_sale_soon: "" };
let run = 0; // of the newest search: answers of older ones are dropped

interface Page { events: EventCard[]; nextCursor: string | null }

async function load(q: string, cursor = ""): Promise<void> {
  const mine = ++run;
  cards.setAttribute("aria-busy", "true");
  try {
    const query = new URLSearchParams({ ...(q && { q }), ...(cursor && { cursor }), limit: "24" });
    const page = await json<Page>(`/v1/events?${query}`);
    if (mine === run) show(page, q, cursor !== "");
  } catch (error) {
    if (mine !== run) return;
    after.replaceChildren(notice("bad", explain(error), { label: t("retry"), run: () => void load(q, cursor) }));
    if (!cursor) cards.replaceChildren();
  }
  cards.setAttribute("aria-busy", "false");
}

function show(page: Page, q: string, append: boolean): void {
  const items = page.events.map(card);
  if (append) {
    cards.append(...items);
    items[0]?.querySelector("a")?.focus();
  } else cards.replaceChildren(...items);
  const n = cards.children.length;
  found.textContent = n > 0 && q ? plural("found", n, { n: page.nextCursor ? `${count(n)}+` : count(n) }) : "";
  after.replaceChildren(...below(page, q, n));
}

function below(page: Page, q: string, n: number): HTMLElement[] {
  if (page.nextCursor) {
    const next = page.nextCursor;
    return [h("button", { class: "button quiet", type: "button", onclick: () => void load(q, next) }, t("more"))];
  }
  if (n > 0) return [];
  if (!q) return [state(icons.ticket, t("listNothing"), t("listNothingLead"))];
  return [state(icons.search, t("listEmpty", { q }), t("listEmptyLead"), h("button", { class: "button", type: "button", onclick: () => search("") }, t("showAll")))];
}

function card(e: EventCard): HTMLElement {
  const date = stub(e.startsAt, e.timeZone);
  const title = h("a", { href: `/events/${encodeURIComponent(e.eventId)}` }, e.title);
  return h("li", { class: `card tone-${tone(e.eventId)}` },
    h("div", { class: "stub", "aria-hidden": "true" }, h("span", null, date.weekday), h("b", null, date.day), h("span", null, date.month)),
    h("div", { class: "card-body" },
      h("h2", null, title),
      h("p", { class: "soft" }, venueLine(e.venue, " · ")),
      h("p", { class: "small" }, h("time", { datetime: e.startsAt }, eventDate(e.startsAt, e.timeZone))),
      e.availability === "on_sale_soon" && h("p", { class: "small soft" }, t("onSaleFrom", { date: shortDate(e.onSaleAt, e.timeZone) })),
      h("div", { class: "card-foot" },
        h("span", { class: "num" }, e.priceRange ? t("from", { price: price(e.priceRange.min) }) : ""),
        h("span", { class: `tag ${TAGS[e.availability] ?? ""}` }, t(`avail_${e.availability}`)))));
}

function search(q: string): void {
  field.value = q;
  history.replaceState(null, "", q ? `/?q=${encodeURIComponent(q)}` : "/");
  void load(q);
}

startPage("events");
byId<HTMLFormElement>("search").addEventListener("submit", (e) => {
  e.preventDefault();
  search(field.value.trim());
});
let typing: ReturnType<typeof setTimeout>;
field.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => search(field.value.trim()), 250);
});
field.value = new URLSearchParams(location.search).get("q") ?? "";
void load(field.value.trim());

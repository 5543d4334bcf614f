import "../api/kept-time.ts";
import { byId } from "../base/dom.ts";
import { showChips } from "../list/chips.ts";
import { address, type Filters, type Point, readAddress } from "../list/filters.ts";
import { Finder } from "../list/finder.ts";
import { Meant } from "../list/meant.ts";
import { Results } from "../list/results.ts";
import { startPage } from "../ui/account.ts";

/** What the history remembers beside the address: where the fan said to be, and how much of the list they had seen. */
interface Visit { here?: Point; shown?: number; y?: number }

const field = byId<HTMLInputElement>("q");
const results = new Results(byId("cards"), byId("found"), byId("after"), (f) => go(f), (found) => finder.found(found));
const finder = new Finder((f) => go(f));
const meant = new Meant(byId("meant"), (f) => go(f));
const visit = (): Visit => (history.state as Visit | null) ?? {};
let now: Filters;

/** Looks for something else. What is typed letter by letter is one entry of the history. */
function go(f: Filters, typing = false): void {
  const state: Visit = f.near ? { here: f.near } : {};
  if (address(f) !== address(now)) history[typing ? "replaceState" : "pushState"](state, "", address(f));
  else history.replaceState(state, "");
  show(f);
}

function show(f: Filters): void {
  if (field !== document.activeElement || field.value.trim() !== f.q) field.value = f.q;
  dress(f);
  void meant.show(f);
  void results.show(f);
}

/** What the page around the list shows of the question. */
function dress(f: Filters): void {
  now = f;
  document.body.toggleAttribute("data-looking", address(f) !== "/");
  finder.show(f);
  showChips(byId("chips"), f, go);
}

/** Shows what the address asks for, as far as it had been seen. */
async function open(): Promise<void> {
  const { here, shown, y } = visit();
  dress(readAddress(location.search, here ?? null));
  field.value = now.q;
  await results.show(now, shown);
  if (y) scrollTo({ top: y, behavior: "instant" });
}

startPage("events");
byId<HTMLFormElement>("search").addEventListener("submit", (e) => {
  e.preventDefault();
  clearTimeout(typing);
  go({ ...now, q: field.value.trim() });
});
let typing: ReturnType<typeof setTimeout>;
field.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => go({ ...now, q: field.value.trim() }, true), 250);
});
addEventListener("popstate", () => void open());
let y = 0; // asked while the page is left, the browser would first lay it out: whoever has pressed waits for that
addEventListener("scroll", () => void (y = Math.round(scrollY)), { passive: true });
addEventListener("pagehide", () => history.replaceState({ ...visit(), shown: results.shown, y }, ""));
void open();

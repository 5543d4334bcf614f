// What somebody looks for, in the page's address and as a question to the API. Both are written in one way only, because
// they are keys: of the history and of every cache on the way.

export interface Point { lat: number; lon: number }

export type Sort = "date" | "price" | "distance";

export interface Filters {
  q: string; city: string; venue: string; genre: string;
  /** Where the fan is, to a kilometre; it is never in the page's address. */
  near: Point | null;
  km: number;
  /** Days as in 2026-11-30, by the clocks of the events' places; "" is open. */
  from: string; to: string;
  sort: Sort;
}

export const KM = 50, FARTHEST = 300, LIMIT = 20, MOST = 100;

export const none: Filters = { q: "", city: "", venue: "", genre: "", near: null, km: KM, from: "", to: "", sort: "date" };

const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const TEXT = 100; // characters that are looked at

/** A point to two decimals of a degree, which is how exactly it is ever told. */
export const rounded = (p: Point): Point => ({ lat: hundredth(p.lat), lon: hundredth(p.lon) });
const hundredth = (degrees: number): number => Math.round(degrees * 100) / 100 + 0;

/** Reads the page's address; here is where the fan said to be, which only the history remembers. Nonsense is left out. */
export function readAddress(search: string, here: Point | null): Filters {
  const params = new URLSearchParams(search);
  const text = (name: string): string => tidy(params.get(name) ?? "");
  const day = (name: string): string => (DAY.test(params.get(name) ?? "") ? params.get(name)! : "");
  const near = params.get("near") === "me" ? here : null, km = Number(params.get("km") ?? KM), sort = params.get("sort");
  const [from, to] = [day("from"), day("to")];
  return {
    q: text("q"), city: text("city"), venue: text("venue"), genre: text("genre"), near,
    km: near && Number.isInteger(km) && km >= 1 && km <= FARTHEST ? km : KM,
    from, to: from && to && to < from ? "" : to,
    sort: sort === "price" || (sort === "distance" && near) ? sort : "date",
  };
}

const tidy = (text: string): string => text.slice(0, TEXT).trim().replace(/\s+/g, " ");

/** The page's address for what is looked for. */
export const address = (f: Filters): string => written("/", { ...parts(f), near: f.near ? "me" : "" });

/** The question to the API. What somebody typed in another case is the same question. */
export function question(f: Filters, cursor = "", limit = LIMIT): string {
  const lower = Object.fromEntries(Object.entries(parts(f)).map(([name, value]) => [name, value.toLowerCase()]));
  const near = f.near ? `${f.near.lat},${f.near.lon}` : "";
  return written("/v1/events", { ...lower, near, limit: limit === LIMIT ? "" : String(limit), cursor });
}

function parts(f: Filters): Record<string, string> {
  const { q, city, venue, genre, from, to } = f;
  return {
    q: tidy(q), city: tidy(city), venue: tidy(venue), genre: tidy(genre), near: "", km: f.near && f.km !== KM ? String(f.km) : "",
    from, to, sort: f.sort === "date" ? "" : f.sort,
  };
}

function written(path: string, all: Record<string, string>): string {
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== "")).toString();
  return query ? `${path}?${query}` : path;
}

/** What narrows the list besides the words, each of which can be taken away. */
export type Part = "city" | "venue" | "genre" | "near" | "days";

export const narrowed = (f: Filters): Part[] =>
  (["city", "near", "days", "genre", "venue"] as const).filter((part) => (part === "days" ? f.from || f.to : f[part]));

/** The same without a part. A list that is sorted by distance is sorted by date where there is no place to be far from. */
export function without(f: Filters, part: Part): Filters {
  if (part === "near") return { ...f, near: null, km: KM, sort: f.sort === "distance" ? "date" : f.sort };
  return part === "days" ? { ...f, from: "", to: "" } : { ...f, [part]: "" };
}

/** What to try instead when nothing is found: other days, then other places, then other words, then everything. */
export function relaxed(f: Filters): Filters[] {
  const places = (x: Filters): Filters => without(without(without(x, "city"), "venue"), "near");
  const steps = [without(f, "days"), places(without(f, "days")), places(without({ ...f, q: "" }, "days")), none];
  const asked = new Set([question(f)]);
  return steps.filter((s) => !asked.has(question(s)) && asked.add(question(s)));
}

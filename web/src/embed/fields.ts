import type { Money } from "../api/types.ts";

/** Takes a value from a stranger: as it is or copied, and undefined when it is not what it should be. */
export type Read<T> = (value: unknown) => T | undefined;

/** An object of any kind but an array. */
export const record = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v);

/** A text of 1 to max characters. */
export const text = (max: number): Read<string> => (v) => (typeof v === "string" && v.length > 0 && v.length <= max ? v : undefined);

/** A whole number. */
export const num = (min: number, max: number): Read<number> => (v) => (Number.isSafeInteger(v) && (v as number) >= min && (v as number) <= max ? (v as number) : undefined);

export const flag: Read<boolean> = (v) => (typeof v === "boolean" ? v : undefined);

/** One of these words. */
export const word = <W extends string>(...words: W[]): Read<W> => (v) => words.find((w) => w === v);

/** An amount in minor units. */
export const amounts = num(0, 1e13);

/** An instant, RFC 3339 in UTC. */
export const instant: Read<string> = (v) =>
  typeof v === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(v) && Number.isFinite(Date.parse(v)) ? v : undefined;

/** A list of at most max items, each of the kind; one that is not makes all of it nothing. */
export const list = <T>(item: Read<T>, max: number): Read<T[]> => (v) => {
  if (!Array.isArray(v) || v.length > max) return undefined;
  const out = Array.from(v, item);
  return out.includes(undefined) ? undefined : (out as T[]);
};

/** Texts by name: at most max, each name and each value of its pattern. */
export const matching = (name: RegExp, value: RegExp, max: number): Read<Record<string, string>> => (v) => {
  const all = record(v) ? Object.entries(v) : null;
  if (!all || all.length > max || !all.every(([k, x]) => name.test(k) && typeof x === "string" && value.test(x))) return undefined;
  return Object.fromEntries(all) as Record<string, string>;
};

type Fields<T> = { [K in keyof T]-?: Read<T[K]> };
type Needed<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] };
type Optional<T> = { [K in keyof T as undefined extends T[K] ? K : never]: NonNullable<T[K]> };

/** An object with these members and, where they are there, those; what else it has is left out. */
export const shape = <T>(needed: Fields<Needed<T>>, optional: Fields<Optional<T>>): Read<T> => (v) => {
  if (!record(v)) return undefined;
  const out: Record<string, unknown> = {};
  for (const [key, take] of Object.entries<Read<unknown>>({ ...needed, ...optional })) {
    if (key in optional && v[key] === undefined) continue;
    const found = take(v[key]);
    if (found === undefined) return undefined;
    out[key] = found;
  }
  return out as T;
};

/** An amount of money: minor units and an ISO 4217 code. */
export const money: Read<Money> = shape<Money>({ amount: amounts, currency: (v) => (typeof v === "string" && /^[A-Z]{3}$/.test(v) ? v : undefined) }, {});

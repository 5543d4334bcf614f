import type { Key } from "./all.ts";
import { language, texts } from "./chosen.ts";

export { language };

export type Params = Record<string, string | number>;

/** Fills {name} placeholders; a missing one stays visible, so that it is noticed. */
export function fill(text: string, params: Params): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
}

/** The text of a key in the page's language. */
export const t = (key: Key, params: Params = {}): string => fill(texts[key], params);

type PluralBase = Extract<Key, `${string}_other`> extends `${infer Base}_other` ? Base : never;

const rules = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);

/** The text of `key_one` or `key_other`, with {n} written the language's way. */
export function plural(key: PluralBase, n: number, params: Params = {}): string {
  const form = rules.select(n) === "one" ? "one" : "other";
  return t(`${key}_${form}` as Key, { n: count(n), ...params });
}

/** A count with the language's grouping. */
export const count = (n: number): string => numbers.format(n);

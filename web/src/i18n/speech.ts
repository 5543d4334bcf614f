import { hour, language } from "./en/language.ts"; // build.mjs puts another language's folder in the place of en/; tests run in English

export { hour, language };

export type Params = Record<string, string | number>;

/** Fills {name} placeholders; a missing one stays visible, so that it is noticed. */
export function fill(text: string, params: Params): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
}

/** The bases of keys that come as BASE_one and BASE_other. */
type PluralOf<K> = K extends `${infer Base}_other` ? Base : never;

export interface Speech<K> {
  /** The text of a key in the page's language. */
  t(key: K, params?: Params): string;
  /** The text of `key_one` or `key_other`, with {n} written the language's way. */
  plural(key: PluralOf<K>, n: number, params?: Params): string;
}

/** Speaks with some texts. The first of Intl's objects in a page is dear, so none is made before it is needed. Pages carry only the parts they use: event/words.ts and order/words.ts have their own. */
export function speech<K extends string>(texts: Record<K, string>): Speech<K> {
  const t = (key: K, params: Params = {}): string => fill(texts[key], params);
  const plural = (key: PluralOf<K>, n: number, params: Params = {}): string =>
    t(`${key}_${new Intl.PluralRules(language).select(n) === "one" ? "one" : "other"}` as K, { n: count(n), ...params });
  return { t, plural };
}

/** A count with the language's grouping. */
export const count = (n: number): string => n.toLocaleString(language);

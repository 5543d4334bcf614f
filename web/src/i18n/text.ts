import { all, type Key, type Language } from "./all.ts";

/** The best language of ours for the browser's list, English when none fits. */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    if (/^pt\b/i.test(tag)) return "pt-BR";
    if (/^en\b/i.test(tag)) return "en";
  }
  return "en";
}

export const language: Language = chooseLanguage(typeof navigator === "undefined" ? [] : (navigator.languages ?? []));

export type Params = Record<string, string | number>;

/** Fills {name} placeholders; a missing one stays visible, so that it is noticed. */
export function fill(text: string, params: Params): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
}

/** The text of a key in the browser's language. */
export const t = (key: Key, params: Params = {}): string => fill(all[language][key], params);

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

/** Rewrites the page's static texts (data-t, data-t-label, data-t-placeholder) when the HTML came in another language. */
export function localise(root: Document): void {
  if (root.documentElement.lang === language) return;
  root.documentElement.lang = language;
  for (const el of root.querySelectorAll<HTMLElement>("[data-t]")) el.textContent = t(el.dataset.t as Key);
  for (const el of root.querySelectorAll<HTMLElement>("[data-t-label]")) el.setAttribute("aria-label", t(el.dataset.tLabel as Key));
  for (const el of root.querySelectorAll<HTMLElement>("[data-t-placeholder]")) el.setAttribute("placeholder", t(el.dataset.tPlaceholder as Key));
}

import type { Language } from "../i18n/all.ts";

/** Our language for a tag such as "pt" or "es-MX", or undefined. */
export const languageFor = (tag: string): Language | undefined =>
  /^pt\b/i.test(tag) ? "pt-BR" : /^es\b/i.test(tag) ? "es" : /^en\b/i.test(tag) ? "en" : undefined;

/** The first of some tags that is one of ours; English when none is. */
export const firstLanguage = (tags: readonly string[]): Language => {
  for (const tag of tags) {
    const found = languageFor(tag);
    if (found) return found;
  }
  return "en";
};

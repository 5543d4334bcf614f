import type { Language } from "../all.ts";

export const language: Language = "es";

/** With its article: one o'clock is the only hour that is one. */
export const hour = (time: string): string => (/^0?1(?!\d)/.test(time) ? "la " : "las ") + time;

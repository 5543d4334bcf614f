import type { Language } from "../all.ts";

export const language: Language = "en";

/** A time of day as the language's sentences take it: Spanish says "la 1:05" and "las 13:05". */
export const hour = (time: string): string => time;

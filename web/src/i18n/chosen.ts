import { en } from "./en.ts";
import type { Dictionary, Language } from "./all.ts";

/** The texts of this build. build.mjs puts another language's file in the place of this one; tests run in English. */
export const texts: Dictionary = en;
export const language: Language = "en";

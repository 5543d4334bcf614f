import type { Language } from "../all.ts";

export const language: Language = "pt-BR";

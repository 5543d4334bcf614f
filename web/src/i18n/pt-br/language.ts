import type { Language } from "../all.ts";

export const language: Language = "pt-BR";

export const hour = (time: string): string => time;

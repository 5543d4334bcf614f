import { en } from "./en.ts";
import { ptBR } from "./pt-br.ts";

/** Every text of the pages, by key. */
export type Dictionary = Record<keyof typeof en, string>;
export type Key = keyof Dictionary;
export type Language = "en" | "pt-BR";

export const all: Record<Language, Dictionary> = { en, "pt-BR": ptBR };

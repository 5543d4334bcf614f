import type { Dictionary, Language } from "./all.ts";
import { ptBR } from "./pt-br.ts";

export const texts: Dictionary = ptBR;
export const language: Language = "pt-BR";

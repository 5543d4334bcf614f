import type { Language } from "../i18n/all.ts";
import type { Body, BodyHost } from "./body.ts";

/** What one language's module brings: it fills an element with an event. */
export interface Widget {
  /** Fails when a part does not come; the element then says so, and offers again. */
  open(host: BodyHost, again: () => void): Promise<Body>;
}

/** What the loader leaves in a page, under KEY: once a page, whatever else loads it again. */
export interface Registry {
  /** Our origin: where the loader came from. */
  readonly origin: string;
  /** What has been loaded, by language or file. */
  readonly parts: Record<string, unknown>;
  /** Runs one of our modules, once; fails when it does not come, or is not what the integrity says. */
  script(file: string, integrity: string): Promise<void>;
  /** Answers when the language's module is there; fails when it does not come. */
  load(language: Language): Promise<Widget>;
  /** The language of an element: its own or an ancestor's lang, else the reader's. */
  languageOf(element: Element): Language;
}

/** v1 of the widget; another major would live beside it. */
export const KEY = Symbol.for("plateia.embed.v1");

/** The page's registry, or undefined where the loader has not run. */
export const registry = (): Registry | undefined => (globalThis as { [KEY]?: Registry })[KEY];

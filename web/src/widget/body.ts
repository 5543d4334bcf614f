import type { Money } from "../api/types.ts";
import type { Settings } from "./settings.ts";

/** What is chosen and not held yet. Seats by their labels; places of areas by the section's label. */
export interface Selection { seats: string[]; areas: { section: string; quantity: number }[]; total: Money | null }

/** The seats that are held for the fan, as the partner may know it. expiresAt: RFC 3339, UTC. */
export interface Held { seats: { label: string; ordinal: number }[]; total: Money; expiresAt: string; state: "ACTIVE" | "PAYING" }

/** The element's events and what their detail is. */
export interface Details {
  "plateia-ready": { event: string; title: string; state: string; mode: "element" | "frame" };
  "plateia-select": Selection;
  "plateia-hold": { hold: Held | null };
  "plateia-checkout": Record<string, never>;
  "plateia-order": { status: string };
  "plateia-lost": { seats: string[] };
  "plateia-error": { code: string; text: string };
}

/** What an event's body has of the element around it. */
export interface BodyHost {
  readonly element: HTMLElement;
  readonly root: ShadowRoot;
  readonly origin: string;
  readonly language: string;
  readonly settings: Settings;
  tell<K extends keyof Details>(name: K, detail: Details[K]): void;
}

/** What somebody looks for; the price is that of a seat with its fees, in minor units. */
export interface Asked { quantity?: number; maxPrice?: number; sections?: string[]; accessible?: boolean }

/** One event in an element, from its first bones to the tickets. */
export interface Body {
  /** Attributes have changed that need no new start. */
  update(settings: Settings): void;
  readonly selection: Selection;
  readonly hold: Held | null;
  /** Chooses these seats and no others; answers those that could not be chosen. */
  select(labels: readonly string[]): string[];
  /** Shows a section by its label; null: everything. */
  show(section: string | null): void;
  /** Asks for the best seats, or for the chosen ones. */
  ask(best: Asked | null): void;
  /** Shows, or hides, where the fan signs in, waits, holds and pays. */
  desk(open: boolean): void;
  refresh(): void;
  close(): void;
}

import type { EventState } from "../api/types.ts";

/** What the panel beside the map shows. */
export type Stage = "cancelled" | "closed" | "soon" | "sold-out" | "paused" | "sign-in" | "line" | "shop";

/** soldOut: nothing is free, as far as this page knows. */
export interface Standing { session: boolean; access: boolean; hold: boolean; soldOut: boolean }

/**
 * The stage for an event's state and where this fan stands. A live hold always leads to the shop: its owner may extend,
 * pay and give back whatever else happens. Before the sale the way leads to the waiting room.
 */
export function stageOf(state: EventState, fan: Standing): Stage {
  if (fan.hold && state !== "cancelled") return "shop";
  if (state === "cancelled" || state === "closed") return state;
  if (state === "paused") return "paused";
  if (state === "scheduled") return "soon";
  if (fan.soldOut && !fan.access) return "sold-out"; // whoever is inside waits there for seats that come back
  if (!fan.session) return "sign-in";
  return fan.access ? "shop" : "line";
}

const STATES: ReadonlySet<string> = new Set<EventState>(["scheduled", "on_sale", "paused", "closed", "cancelled"]);

/** Whether a word is a state that this page knows. */
export const isState = (word: string): word is EventState => STATES.has(word);

import { test } from "node:test";
import assert from "node:assert/strict";
import type { EventCard } from "../api/types.ts";
import { onOffer } from "./card.ts";

const event = (availability: EventCard["availability"], state: EventCard["state"]): EventCard => ({ availability, state }) as EventCard;

test("what is suggested can be bought, or will be", () => {
  for (const [availability, state, want] of [
    ["available", "on_sale", true], ["limited", "on_sale", true], ["on_sale_soon", "scheduled", true],
    ["available", "paused", false], ["limited", "paused", false], ["on_sale_soon", "paused", true],
    ["sold_out", "on_sale", false], ["sold_out", "closed", false], ["cancelled", "cancelled", false],
  ] as const) assert.equal(onOffer(event(availability, state)), want, `${availability}, ${state}`);
});

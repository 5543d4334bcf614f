import type { LineDocument } from "./document.ts";
import type { Ranked } from "./lanes.ts";

// For tests: an event whose sale opened at OPENS, with a thousand in the lottery, and a fan in the middle of it.
export const OPENS = Date.parse("2026-12-01T12:00:00Z");

export const line = (more: Partial<LineDocument> = {}): LineDocument => ({
  version: 7, event: "e", epoch: 1, time: OPENS + 60_000, phase: "open", onSaleAt: new Date(OPENS).toISOString(),
  commitment: "", cutOff: "", seed: "ab", verifiable: true,
  frontiers: { lottery: ["2000000000000000"], late: { second: 0, rank: "0000000000000000" }, second: { lap: 0, rank: "0000000000000000" } },
  line: { tiers: [1000], late: [] }, rate: { perSecond: 0, low: 0, high: 0 }, claimWindow: 600, paused: 0,
  history: [], poll: { floorMS: 2000, ceilingMS: 60_000, divisor: 20 }, signed: true, ...more,
});

export const fan = (more: Partial<Ranked> = {}): Ranked =>
  ({ event: "e", epoch: 1, pseudonym: "p", class: "lottery", tier: 0, second: OPENS / 1000 - 60, rank: "8000000000000000", ...more });

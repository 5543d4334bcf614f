import type { LineDocument, Poll } from "./document.ts";

/** The time (ms) until the next question of a fan who probably waits that long (ms); 0: not known. */
export function pollDelay(p: Poll, wait: number): number {
  if (wait <= 0 || p.divisor < 1) return p.ceilingMS;
  return Math.min(Math.max(Math.trunc(wait / p.divisor), p.floorMS), p.ceilingMS);
}

const FAILED_FIRST = 1000, FAILED_MOST = 30_000; // ms between tries that fail
const SPREAD = 3000; // ms within which everybody looks after a moment that all have been waiting for
const JITTER = 0.15;
const WITHOUT: Poll = { floorMS: 2000, ceilingMS: 30_000, divisor: 20 };

export interface Standing {
  document: LineDocument | null;
  now: number; // ms, the server's
  wait: number; // ms until the turn, at the earliest; 0: not known
  failures: number; // tries in a row that brought nothing
  /** The turn is here, or nearly: a look more often costs little. */
  near: boolean;
}

/** When to look again (ms from now). It never gives up: tries that fail come slower, up to half a minute apart. */
export function nextLook(s: Standing, random: number): number {
  const jitter = 1 - JITTER + 2 * JITTER * random;
  if (s.failures > 0) return Math.min(FAILED_MOST, FAILED_FIRST * 2 ** Math.min(s.failures - 1, 10)) * jitter;
  const poll = s.document?.poll ?? WITHOUT;
  const opens = s.document?.phase === "before" ? Date.parse(s.document.onSaleAt) - s.now : 0;
  if (opens > 0) return Math.min(pollDelay(poll, opens) * jitter, opens + 500 + SPREAD * random);
  if (s.near || s.document?.phase === "draw" || s.document?.phase === "before") return poll.floorMS * jitter;
  return pollDelay(poll, s.wait) * jitter;
}

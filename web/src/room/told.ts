import type { LineDocument } from "./document.ts";
import { pointOf } from "./document.ts";
import type { Place } from "./place.ts";

/** The last estimate that a fan was told, to compare with. Instants and spans are ms. */
export interface Told { at: number; until: number; paused: number }

/** Why a turn comes later than the fan was told. */
export interface Why { cause: "paused" | "slower"; by: number; pausedFor: number }

const WORTH = 60_000; // later by less than this needs no explanation
const SHARE = 0.25; // nor by less than this part of the wait
const SHOWN = 180_000; // how long an explanation is shown

export interface Memory { told: Told | null; why: Why | null; whyAt: number }

export const nothingTold: Memory = { told: null, why: null, whyAt: 0 };

/** What to remember after an estimate has been shown at now, and the reason to show beside it. */
export function explain(memory: Memory, d: LineDocument, p: Place, now: number): Memory {
  if (p.high === 0) return memory;
  const paused = pointOf(d).paused, until = now + p.high * 1000;
  const { told } = memory;
  if (!told || until <= told.until) return { told: { at: now, until, paused }, ...still(memory, now) };
  const by = until - told.until;
  if (by < Math.max(WORTH, SHARE * (told.until - now))) return { ...memory, ...still(memory, now) };
  const pausedFor = paused - told.paused;
  const why: Why = { cause: pausedFor > by / 2 ? "paused" : "slower", by, pausedFor };
  return { told: { at: now, until, paused }, why, whyAt: now };
}

const still = ({ why, whyAt }: Memory, now: number): Pick<Memory, "why" | "whyAt"> =>
  why && now - whyAt < SHOWN ? { why, whyAt } : { why: null, whyAt: 0 };

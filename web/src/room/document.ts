import { type Keys, open, type Statement } from "./statement.ts";

export type Phase = "before" | "draw" | "open" | "paused" | "soldout" | "ended";

/** How far the late lane is: one-second buckets of entry time, within a bucket by rank. */
export interface LatePoint { second: number; rank: string }

export interface Frontiers {
  lottery: string[]; // of each tier
  late: LatePoint;
  second: { lap: number; rank: string }; // the second-chance lane; lap 0: closed
}

/** Where the frontiers were at a moment, ms; paused: ms in pauses until then. */
export interface Point { time: number; paused: number; frontiers: Frontiers }

/** Entries before a second, cumulated. */
export interface Arrival { second: number; count: number }

export interface Message { reason: string; text: Record<string, string>; nextUpdate: string }

export interface Poll { floorMS: number; ceilingMS: number; divisor: number }

/** The one signed document for everybody (waitingroom/frontier has its rules). Instants are Unix ms unless they are text. */
export interface LineDocument {
  version: number; event: string; epoch: number; time: number; phase: Phase; onSaleAt: string;
  commitment: string; cutOff: string; seed: string | null; verifiable: boolean;
  frontiers: Frontiers; line: { tiers: number[]; late: Arrival[] }; // entries of each tier, and of those who came late
  rate: { perSecond: number; low: number; high: number };
  claimWindow: number; // seconds without pauses
  paused: number; pausedSince?: number; history: Point[];
  poll: Poll; message?: Message; revoked?: string[];
  /** Whether the signature could be checked here. */
  signed: boolean;
}

const KIND = "frontier+jws";
const PHASES: ReadonlySet<string> = new Set<Phase>(["before", "draw", "open", "paused", "soldout", "ended"]);

/** Verifies and reads a document; null when it is not good. */
export async function readDocument(keys: Keys, statement: Statement): Promise<LineDocument | null> {
  const opened = await open(keys, KIND, statement);
  if (!opened) return null;
  try {
    const d = JSON.parse(opened.payload) as LineDocument;
    d.line.tiers ??= []; // Go writes empty lists as null
    d.line.late ??= [];
    d.frontiers.lottery ??= [];
    d.history ??= [];
    const fits = d.version > 0 && PHASES.has(d.phase) && d.line.tiers.length === d.frontiers.lottery.length;
    return fits ? { ...d, signed: opened.signed } : null;
  } catch {
    return null;
  }
}

/** Whether a reader who holds have must take d instead. Versions alone decide. */
export const newer = (d: LineDocument, have: LineDocument | null): boolean =>
  have === null || (d.event === have.event && d.version > have.version);

/** Time without pauses at a point, ms; claim clocks run in it. */
export const activeAt = (p: Point): number => p.time - p.paused;

/** Where the document itself stands. */
export const pointOf = (d: LineDocument): Point =>
  ({ time: d.time, paused: d.paused + (d.pausedSince ? d.time - d.pausedSince : 0), frontiers: d.frontiers });

/** Time without pauses now (ms), as far as the document knows. Its own time is the least: a reader's clock may be slow. */
export const activeNow = (d: LineDocument, now: number): number =>
  d.pausedSince ? d.pausedSince - d.paused : Math.max(now, d.time) - d.paused;

import { activeAt, type Frontiers, type LineDocument, pointOf } from "./document.ts";
import { entriesUpTo, lateBefore, type Ranked, reaches, served } from "./lanes.ts";
import { fraction, FIRST_RANK, share } from "./rank.ts";

/** Where a ticket stands: an estimate, for nobody is counted one by one. */
export interface Place {
  ahead: number;
  standardError: number; // of ahead
  low: number; // the turn probably comes in this range, s; 0, 0: not known
  high: number;
}

const SPREAD = 2; // errors that are shown are this many standard errors wide
const WEEK = 7 * 24 * 3600; // as good as never

/** Estimates where a ticket stands; null before the draw. */
export function place(d: LineDocument, t: Ranked): Place | null {
  if (d.seed === null || t.event !== d.event || t.epoch !== d.epoch) return null;
  if (reaches(d.frontiers, t)) return { ahead: 0, standardError: 0, low: 0, high: 0 };
  const p = aheadOf(d, t, d.frontiers);
  const [slow, fast] = pace(d);
  if (slow > 0) {
    p.low = seconds(Math.max(p.ahead - SPREAD * p.standardError, 0) / fast);
    p.high = seconds((p.ahead + SPREAD * p.standardError + 1) / slow);
  }
  return p;
}

/** Tickets that were ahead when nobody had been served: what the way done is measured by. */
export function startOf(d: LineDocument, t: Ranked): number {
  const lottery = d.frontiers.lottery.map(() => FIRST_RANK);
  return aheadOf(d, t, { lottery, late: { second: 0, rank: FIRST_RANK }, second: { lap: 0, rank: FIRST_RANK } }).ahead;
}

function aheadOf(d: LineDocument, t: Ranked, f: Frontiers): Place {
  const tiers = d.line.tiers, late = d.line.late;
  let count = 0, variance = 0;
  tiers.forEach((n, tier) => {
    if (t.class === "lottery" && tier > t.tier) return;
    const upTo = t.class === "lottery" && tier === t.tier ? fraction(t.rank) : 1;
    const between = Math.max(upTo - share(f.lottery[tier]!), 0);
    count += n * between;
    variance += n * between * (1 - between);
  });
  if (t.class === "late") {
    const own = entriesUpTo(late, t.second + 1) - entriesUpTo(late, t.second), u = fraction(t.rank);
    count += Math.max(lateBefore(late, { second: t.second, rank: t.rank }) - lateBefore(late, f.late), 0);
    variance += own * u * (1 - u);
  }
  return { ahead: count, standardError: Math.sqrt(variance), low: 0, high: 0 };
}

/** The least and the greatest speed of the line (tickets a second without pauses) over the thirds of its history; 0, 0: it stands. */
function pace(d: LineDocument): [slow: number, fast: number] {
  const here = pointOf(d), history = d.history, n = history.length;
  let slow = 0, fast = 0;
  for (const back of [Math.floor(n / 3), Math.floor((n * 2) / 3), n]) {
    const from = history[n - back];
    if (back === 0 || !from) continue;
    const span = (activeAt(here) - activeAt(from)) / 1000;
    if (span < 1) continue;
    const rate = (served(d, here.frontiers) - served(d, from.frontiers)) / span;
    if (rate <= 0) return [0, 0];
    if (slow === 0 || rate < slow) slow = rate;
    fast = Math.max(fast, rate);
  }
  return [slow, fast];
}

const seconds = (s: number): number => Math.trunc(Math.min(s, WEEK));

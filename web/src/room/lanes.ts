import type { Arrival, Frontiers, LatePoint, LineDocument } from "./document.ts";
import { LAST_RANK, share } from "./rank.ts";
import type { Ticket } from "./ticket.ts";

/** A ticket with the rank that the draw gave it. */
export interface Ranked extends Ticket { rank: string }

const before = (rank: string, frontier: string): boolean => rank < frontier || frontier === LAST_RANK;

/** Whether a ticket is before the frontier of its lane. */
export function reaches(f: Frontiers, t: Ranked): boolean {
  if (t.class === "late") return t.second < f.late.second || (t.second === f.late.second && before(t.rank, f.late.rank));
  const frontier = f.lottery[t.tier];
  return frontier !== undefined && before(t.rank, frontier);
}

/** Whether the second-chance lane has passed a rank in a lap. */
export const secondReaches = ({ second }: Frontiers, lap: number, rank: string): boolean =>
  lap < second.lap || (lap === second.lap && before(rank, second.rank));

/** Entries before an instant in Unix seconds: exact at each point, taken to be even between two. */
export function entriesUpTo(all: readonly Arrival[], second: number): number {
  const next = all.findIndex((a) => a.second > second);
  if (next === 0 || all.length === 0) return 0;
  if (next < 0) return all[all.length - 1]!.count;
  const from = all[next - 1]!, to = all[next]!;
  return from.count + ((second - from.second) / (to.second - from.second)) * (to.count - from.count);
}

/** Late entries before a point. */
export function lateBefore(all: readonly Arrival[], p: LatePoint): number {
  const from = entriesUpTo(all, p.second);
  return from + share(p.rank) * (entriesUpTo(all, p.second + 1) - from);
}

/** Tickets before the frontiers of the lottery and the late lane. */
export const served = ({ line }: LineDocument, f: Frontiers): number =>
  line.tiers.reduce((sum, n, i) => sum + n * share(f.lottery[i]!), lateBefore(line.late, f.late));

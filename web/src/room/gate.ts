import { activeAt, activeNow, type Frontiers, type LineDocument, pointOf } from "./document.ts";
import { type Ranked, reaches, secondReaches } from "./lanes.ts";

/** What a ticket means now. unknown: of an epoch that this document does not know yet. */
export type GateState = "waiting" | "mayClaim" | "missed" | "paused" | "restarted" | "closed" | "foreign" | "unknown";

export interface Verdict {
  state: GateState;
  lap: number; // of the second-chance lane that the window comes from; 0: the ticket's own turn
  own: boolean; // the window of the ticket's own turn is open
  left: number; // ms of the window without pauses, for mayClaim and paused
}

/** Decides about a ticket at an instant (ms). ticket.rank is "" before the draw. */
export function gate(d: LineDocument, t: Ranked, now: number): Verdict {
  const plain = (state: GateState): Verdict => ({ state, lap: 0, own: false, left: 0 });
  if (t.event !== d.event) return plain("foreign");
  if (t.epoch < d.epoch) return plain("restarted");
  if (t.epoch > d.epoch) return plain("unknown");
  if (d.phase === "soldout" || d.phase === "ended") return plain("closed");
  if (d.seed === null || d.phase === "before" || d.phase === "draw" || !reaches(d.frontiers, t)) return plain("waiting");
  const window = windowOf(d, t, now);
  if (window.left <= 0) return plain("missed");
  return { state: d.phase === "paused" ? "paused" : "mayClaim", ...window };
}

/** What is left of the window that the ticket's own turn, or a lap of the second-chance lane, has opened. */
function windowOf(d: LineDocument, t: Ranked, now: number): { left: number; lap: number; own: boolean } {
  const active = activeNow(d, now), length = d.claimWindow * 1000;
  let until = passed(d, (f) => reaches(f, t)), lap = 0;
  const own = until + length > active;
  const first = (d.history[0]?.frontiers ?? d.frontiers).second.lap;
  for (let l = Math.max(first, 1); l <= d.frontiers.second.lap; l++) {
    if (!secondReaches(d.frontiers, l, t.rank)) continue;
    const at = passed(d, (f) => secondReaches(f, l, t.rank));
    if (at > until) [until, lap] = [at, l];
  }
  return { left: until + length - active, lap, own };
}

/** Time without pauses at the first point that the frontiers had reached: maybe later than it was, never earlier. */
function passed(d: LineDocument, reached: (f: Frontiers) => boolean): number {
  return activeAt(d.history.find((p) => reached(p.frontiers)) ?? pointOf(d));
}

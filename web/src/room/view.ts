import type { EventState } from "../api/types.ts";
import type { LineDocument } from "./document.ts";
import { gate } from "./gate.ts";
import type { Ranked } from "./lanes.ts";
import { place, type Place, startOf } from "./place.ts";

/** What the fan's own requests have come to, as far as the document cannot say it. */
export type Doing =
  | "nothing"
  | "entering" // takes a place
  | "claiming" // redeems it
  | "moment" // the shop was full for a moment; place and clock are kept
  | "elsewhere"; // the place is bound to another device

/** All that decides what the page shows. */
export interface Facts {
  now: number; // ms, the server's
  signedIn: boolean;
  inside: boolean; // an access token is there
  event: EventState | null; // null: not known (yet)
  onSaleAt: number; // ms
  document: LineDocument | null;
  ticket: Ranked | null; // rank "" until it is known
  doing: Doing;
}

export type View =
  | { name: "loading" | "sign-in" | "draw" | "entering" | "claiming" | "inside" | "restarted" | "elsewhere" }
  | { name: "invite"; late: boolean } // signed in, no place yet
  | { name: "entered" } // in the lottery, before the draw
  | { name: "place"; place: Place; done: number } // done: of the way, 0 to 1
  | { name: "paused"; place: Place | null; left: number } // left: ms of an open window, 0: none
  | { name: "turn"; left: number; second: boolean; moment: boolean }
  | { name: "missed" }
  | { name: "closed"; why: "soldout" | "ended" | "cancelled" };

/** Where the fan stands. */
export function viewOf(f: Facts): View {
  if (f.inside) return { name: "inside" };
  const over = ended(f);
  if (over) return { name: "closed", why: over };
  if (f.doing === "elsewhere") return { name: "elsewhere" };
  if (!f.signedIn) return f.event === null && !f.document ? { name: "loading" } : { name: "sign-in" };
  if (f.doing === "entering") return { name: "entering" };
  if (!f.ticket) return f.event === null && !f.document ? { name: "loading" } : { name: "invite", late: f.now >= f.onSaleAt };
  if (!f.document) return { name: "loading" };
  return standing(f, f.document, f.ticket);
}

function ended({ event, document: d }: Facts): "soldout" | "ended" | "cancelled" | null {
  if (event === "cancelled") return "cancelled";
  if (d?.phase === "soldout") return "soldout";
  return event === "closed" || d?.phase === "ended" ? "ended" : null;
}

function standing(f: Facts, d: LineDocument, t: Ranked): View {
  if (t.epoch < d.epoch) return { name: "restarted" };
  if (d.seed !== null && t.rank === "") return { name: "loading" }; // it is being computed
  const verdict = gate(d, t, f.now);
  switch (verdict.state) {
    case "mayClaim":
      if (f.doing === "claiming") return { name: "claiming" };
      return { name: "turn", left: verdict.left, second: !verdict.own, moment: f.doing === "moment" };
    case "missed": return { name: "missed" };
    case "paused": return { name: "paused", place: null, left: verdict.left };
    case "waiting": return waiting(f, d, t);
    default: return { name: "loading" }; // another event's, or newer than the document: the next look knows
  }
}

function waiting(f: Facts, d: LineDocument, t: Ranked): View {
  if (d.phase === "paused") return { name: "paused", place: place(d, t), left: 0 };
  const p = place(d, t);
  if (p) {
    const start = startOf(d, t);
    return { name: "place", place: p, done: start > 0 ? Math.min(Math.max(1 - p.ahead / start, 0), 1) : 1 };
  }
  return t.class === "lottery" && f.now < f.onSaleAt && d.phase === "before" ? { name: "entered" } : { name: "draw" };
}

/** A count that claims no more than is known: rounded to about its standard error. */
export function rounded(n: number, standardError: number): number {
  if (standardError < 1) return Math.round(n);
  const step = 10 ** Math.floor(Math.log10(standardError * 2));
  return Math.round(n / step) * step;
}

/** How long a ticket waits at least, ms: from the line's pace, or else from the rate that the document tells; 0: not known. */
export function waitOf(d: LineDocument, p: Place): number {
  if (p.low > 0) return p.low * 1000;
  const rate = d.rate.high || d.rate.perSecond;
  return rate > 0 ? (p.ahead / rate) * 1000 : 0;
}

/**
 * A lower bound of the chance to be among those for whom there are seats for certain, if everybody before bought as many as
 * they may: (seats / most per person) of those who entered. 0: not known.
 */
export function chance(entered: number, seats: number, most: number): number {
  if (entered < 1 || most < 1) return 0;
  return Math.min(1, Math.floor(seats / most) / entered);
}

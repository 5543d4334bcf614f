import type { Hold } from "../api/types.ts";
import type { HoldRequest } from "../event/holding.ts";
import type { HeldNews, ToFrame } from "./protocol.ts";

/** What a host's message asks to have held. */
export function requestOf(wanted: Extract<ToFrame, { type: "choose" | "best" }>): HoldRequest {
  if (wanted.type === "best") {
    const { type: _, ...bestAvailable } = wanted;
    return { bestAvailable };
  }
  const { seats, areas, expectedTotal, accessible } = wanted;
  return {
    ...(seats.length > 0 && { seatIds: seats }), ...(areas.length > 0 && { areas }), ...(accessible && { accessible }), expectedTotal,
  };
}

/** A hold as the host may know it: which seats, what they cost, until when. */
export const heldNews = (hold: Hold | null): HeldNews | null => hold && (hold.state === "ACTIVE" || hold.state === "PAYING")
  ? { seats: hold.seats.map(({ seatId, ordinal }) => ({ label: seatId, ordinal })), total: hold.total, expiresAt: hold.expiresAt, state: hold.state }
  : null;

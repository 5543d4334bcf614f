import { Problem } from "../api/problem.ts";
import type { Access, QueueEntry, QueuePlace } from "../api/types.ts";
import { dropTicket, keptTicket } from "../auth/kept.ts";

/** How asking to be let in ended: at the seats, in front of a line, without a session, or without an answer. */
export type LetIn = "in" | "line" | "signed-out" | "cut-off";

/** The requests and the time, for tests to give their own. */
export interface Doorway {
  enter(): Promise<QueueEntry>;
  place(ticket: string): Promise<QueuePlace>;
  claim(ticket: string): Promise<Access>;
  wait(ms: number): Promise<unknown>;
  now(): number; // ms
}

/** The door of an event for whoever has this session. */
export const doorway = (event: string, ways: typeof import("../auth/access.ts"), bearer: string): Doorway => ({
  enter: () => ways.enterQueue(event, bearer), place: ways.queuePlace, claim: (ticket) => ways.claim(event, ticket, bearer),
  wait: (ms) => new Promise((done) => setTimeout(done, ms)), now: () => performance.now(),
});

const PATIENCE = 2500; // ms in which a quiet sale opens the door; later there is a line
const OPENING = 8000; // the same for a line that is only being set up: its first fan must not see one
const CROWD = 30; // people ahead with whom nobody is let in within that time
const STEP = 400, LONGEST = 1500; // ms between two tries

/**
 * Takes a place and redeems it at once: where nobody waits nobody sees a line. A crowd, and everything that has to be
 * explained, is the waiting room's business.
 */
export async function letIn(event: string, door: Doorway): Promise<LetIn> {
  const until = door.now() + PATIENCE;
  try {
    const kept = keptTicket(event);
    if (kept) {
      const got = await through(kept, null, door, until);
      if (got !== "stale") return got;
      dropTicket(event);
    }
    const entry = await door.enter();
    const got = await through(entry.queueToken, entry, door, until);
    return got === "stale" ? "line" : got;
  } catch (error) {
    const code = error instanceof Problem ? error.code : "";
    return code === "UNAUTHENTICATED" ? "signed-out" : code === "OFFLINE" ? "cut-off" : "line";
  }
}

/** Goes in with a ticket as soon as the door is open. stale: the ticket counts no more. */
async function through(ticket: string, known: QueuePlace | null, door: Doorway, until: number): Promise<LetIn | "stale"> {
  let late = until;
  for (let place = known; ; place = null) {
    let pause = STEP;
    try {
      const { status, ahead, phase } = place ?? (await door.place(ticket));
      if (phase === "before" || phase === "draw") late = Math.max(late, until + OPENING - PATIENCE);
      if (status === "CLOSED") return "stale";
      if (status === "ADMITTED") {
        await door.claim(ticket);
        return "in";
      }
      if (status !== "WAITING" || (ahead ?? 0) > CROWD) return "line";
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === "UNAUTHENTICATED" || error.code === "NOT_FOUND" || error.code === "EVENT_STATE") return "stale";
      if (error.code === "OFFLINE") return "cut-off";
      if (error.code !== "WAITING") return "line";
      pause = Math.min(error.retryAfter * 1000 || STEP, LONGEST);
    }
    if (door.now() + pause > late) return "line";
    await door.wait(pause);
  }
}

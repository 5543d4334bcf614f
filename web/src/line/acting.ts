import { Problem } from "../api/problem.ts";
import { claim, enterQueue } from "../auth/access.ts";

/** What asking for a place came to. */
export type Entered =
  | { kind: "in" | "signed-out" | "closed" | "code" | "elsewhere" | "prove" }
  | { kind: "later"; after: number }; // ms

/** What redeeming a place came to. */
export type Redeemed =
  | { kind: "in" | "signed-out" | "elsewhere" }
  | { kind: "moment" | "later" | "closed"; after: number }; // ms until the next try

const AGAIN = 2000; // ms, without advice
const CLOSED_AGAIN = 10_000, EARLY_AGAIN = 30_000;

/** Asks for the account's place. code: of a presale, "" for none. */
export async function enter(event: string, bearer: string, code: string, challenge = ""): Promise<Entered> {
  try {
    await enterQueue(event, bearer, { ...(code && { code }), ...(challenge && { challenge }) });
    return { kind: "in" };
  } catch (error) {
    const refused = entryRefused(error);
    // development's stand-in for a challenge takes any answer once
    if (refused.kind === "prove" && challenge === "" && error instanceof Problem && error.details.provider === "dev") {
      return enter(event, bearer, code, `dev:${crypto.randomUUID()}`);
    }
    return refused;
  }
}

/** What a refused entry means. Nothing that a fan can mend costs the place. */
export function entryRefused(error: unknown): Entered {
  if (!(error instanceof Problem)) return { kind: "later", after: AGAIN };
  const { code, details, status } = error;
  if (details.field === "code" || code === "CODE_INVALID") return { kind: "code" };
  if (code === "CHALLENGE_REQUIRED" || code === "CHALLENGE_FAILED" || details.field === "challenge") return { kind: "prove" };
  if (details.reason === "moved" || details.reason === "binding") return { kind: "elsewhere" };
  if (code === "UNAUTHENTICATED") return { kind: "signed-out" };
  if (details.reason === "early") return { kind: "later", after: EARLY_AGAIN };
  if (code === "EVENT_STATE" || code === "NOT_FOUND" || (status === 409 && details.queueStatus === "CLOSED")) return { kind: "closed" };
  return { kind: "later", after: error.retryAfter * 1000 || AGAIN };
}

/** Redeems the place. */
export async function redeem(event: string, ticket: string, bearer: string): Promise<Redeemed> {
  try {
    await claim(event, ticket, bearer);
    return { kind: "in" };
  } catch (error) {
    return claimRefused(error);
  }
}

/** What a refused claim means. */
export function claimRefused(error: unknown): Redeemed {
  if (!(error instanceof Problem)) return { kind: "later", after: AGAIN };
  const { code, details } = error, after = error.retryAfter * 1000 || AGAIN;
  if (details.reason === "moved") return { kind: "elsewhere" };
  if (code === "WAITING") return { kind: "moment", after };
  if (code === "UNAUTHENTICATED") return { kind: "signed-out" };
  if (details.reason === "early") return { kind: "later", after: EARLY_AGAIN };
  if (code === "EVENT_STATE" || code === "CLOSED") return { kind: "closed", after: CLOSED_AGAIN };
  return { kind: "later", after };
}

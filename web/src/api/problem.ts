import { t } from "../i18n/text.ts";

/** An answer that is not what was asked for: the API's problem document, or our own code for a request that got no answer. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfter: number; // seconds, 0 without advice
  readonly requestId: string;
  readonly details: Record<string, unknown>;

  constructor(code: string, status: number, body: Record<string, unknown> = {}) {
    super(String(body.detail ?? body.title ?? code));
    this.code = code;
    this.status = status;
    this.retryable = Boolean(body.retryable);
    this.retryAfter = Number(body.retryAfterSeconds) || 0;
    this.requestId = String(body.requestId ?? "");
    this.details = body;
  }
}

/** OFFLINE: no answer at all (no network, blocked, time-out). */
export const offline = (): Problem => new Problem("OFFLINE", 0, { retryable: true });

/** A problem out of an HTTP answer, whatever its body is. */
export async function problemOf(response: Response): Promise<Problem> {
  let body: Record<string, unknown> = {};
  try {
    body = (await response.json()) as Record<string, unknown>;
  } catch {
    // a proxy's HTML page: the status has to do
  }
  const header = Number(response.headers.get("Retry-After"));
  if (header > 0 && !body.retryAfterSeconds) body.retryAfterSeconds = header;
  const code = typeof body.code === "string" ? body.code : response.status >= 500 ? "INTERNAL" : "INVALID";
  return new Problem(code, response.status, body);
}

/** What to tell a person about a failure that has no better text where it happened. */
export function explain(error: unknown): string {
  if (!(error instanceof Problem)) return t("errGeneric");
  switch (error.code) {
    case "OFFLINE": return t("errOffline");
    case "BUSY":
    case "IN_PROGRESS":
    case "OUTCOME_UNKNOWN": return t("errBusy");
    case "NOT_FOUND": return t("errNotFound");
    case "RATE_LIMITED": return t("errRateLimited", { seconds: Math.max(1, secondsUntilReset(error)) });
    case "UNAUTHENTICATED": return t("errSession");
    case "PROVIDER_DOWN": return t("payDelayed");
    case "INTERNAL": return error.requestId ? `${t("errServer")} ${t("errReference", { id: error.requestId })}` : t("errServer");
    default: return t("errGeneric");
  }
}

function secondsUntilReset(problem: Problem): number {
  if (problem.retryAfter > 0) return problem.retryAfter;
  const at = Date.parse(String(problem.details.resetAt));
  return Number.isFinite(at) ? Math.ceil((at - Date.now()) / 1000) : 10;
}

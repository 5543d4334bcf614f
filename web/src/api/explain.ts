import { t } from "../i18n/text.ts";
import { Problem } from "./problem.ts";

/** What to tell a person about a failure that has no better text where it happened. */
export function explain(error: unknown): string {
  if (!(error instanceof Problem)) return t("errGeneric");
  switch (error.code) {
    case "OFFLINE": return t(globalThis.navigator?.onLine === false ? "errOffline" : "errUnreachable");
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

import { explain, Problem } from "../api/problem.ts";
import type { Money } from "../api/types.ts";
import { money } from "../i18n/format.ts";
import { t } from "./words.ts";

/** Why a hold, extension or order was refused, in words that say what to do next. */
export function refusal(error: unknown, max: number): string {
  if (!(error instanceof Problem)) return explain(error);
  switch (error.code) {
    case "NO_SEATS": return t("noSeats");
    case "SEAT_BLOCKED": return t("seatBlocked");
    case "ORPHAN_SEAT": return t("orphan");
    case "LIMIT_EXCEEDED": return t("limitExceeded", { n: Number(error.details.max) || max });
    case "PAYMENT_IN_PROGRESS": return t("paymentInProgress");
    case "PAYMENT_WINDOW": return t("paymentWindow");
    case "EVENT_STATE": return t("eventState");
    case "HOLD_LIMIT": return t("extendLimit");
    case "HOLD_GONE": return t("holdOver");
    case "SESSION_REPLACED": return t("sessionReplaced");
    case "PRICE_CHANGED": return t("priceChanged", { total: money(error.details.total as Money) });
    default: return explain(error);
  }
}

/** What to say when somebody else has seats of the choice. names: of the lost ones; left: how many remain. */
export function takenText(names: readonly string[], left: number): string {
  if (left === 0) return t("takenAll");
  return names.length === 1 ? t("takenOne", { seat: names[0] }) : t("takenMany", { seats: names.join("; ") });
}

/** The seat ids a SEAT_TAKEN answer names. */
export const takenSeats = (problem: Problem): string[] =>
  Array.isArray(problem.details.seats) ? problem.details.seats.map(String) : [];

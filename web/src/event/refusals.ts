import { explain } from "../api/explain.ts";
import { Problem } from "../api/problem.ts";
import type { Money } from "../api/types.ts";
import { money, ownTime, shortDate } from "../i18n/format.ts";
import type { HoldRequest } from "./holding.ts";
import type { EventModel } from "./model.ts";
import { instead } from "./orphan.ts";
import { plural, t } from "./choosing-words.ts";
import { roomIn } from "../map/holding.ts";

/** A refusal in words, with a way on where there is one. */
export interface Refusal {
  text: string;
  /** Seats to show on the map. */
  seats?: number[];
  /** These leave the choice: nobody like this fan can have them. */
  drop?: number[];
  /** What one press asks for instead; need: the fan says with it that they need an accessible place; pay: go on with the payment. */
  offer?: { label: string; request?: HoldRequest; need?: boolean; pay?: boolean };
}

/** Why a hold, extension or order was refused, and what may be asked for instead. */
export function refusal(error: unknown, model: EventModel, asked: HoldRequest = {}): Refusal {
  if (!(error instanceof Problem)) return { text: explain(error) };
  const { details } = error;
  switch (error.code) {
    case "NO_SEATS": return noSeats(details, model, asked);
    case "SEAT_BLOCKED": return blocked(details, model, asked);
    case "ORPHAN_SEAT": return orphan(ordinals(details, model), model, asked);
    case "LIMIT_EXCEEDED": return { text: limit(details, model.max) };
    case "PAYMENT_IN_PROGRESS": return { text: t("paymentInProgress"), offer: { label: t("goPay"), pay: true } };
    case "PAYMENT_WINDOW": return { text: t("paymentWindow") };
    case "EVENT_STATE": return { text: t("eventState") };
    case "HOLD_LIMIT": return { text: holdLimit(details.hardExpiresAt) };
    case "HOLD_GONE": return { text: t("holdOver") };
    case "SESSION_REPLACED": return { text: t("sessionReplaced") };
    case "PRICE_CHANGED": return priceChanged(details.total as Money | undefined, asked);
    default: return { text: explain(error), ...(error.code === "INTERNAL" && wants(asked) && { offer: { label: t("retry"), request: asked } }) };
  }
}

/** Whether something was asked for: extensions and orders ask for nothing that could be asked for again here. */
const wants = (asked: HoldRequest): boolean => Object.keys(asked).length > 0;

function priceChanged(total: Money | undefined, asked: HoldRequest): Refusal {
  if (!total) return { text: t("errGeneric") };
  const text = t("priceChanged", { total: money(total) });
  return { text, offer: { label: t("priceHold", { total: money(total) }), request: { ...asked, expectedTotal: total } } };
}

function holdLimit(at: unknown): string {
  const until = Date.parse(String(at));
  return Number.isFinite(until) ? t("extendLimitAt", { time: ownTime(until) }) : t("extendLimit");
}

function limit({ limit, have }: Record<string, unknown>, max: number): string {
  const n = Number(limit) || max;
  return Number(have) > 0 ? t("limitHave", { n, have: Number(have) }) : t("limitExceeded", { n });
}

function noSeats({ reason, section }: Record<string, unknown>, model: EventModel, asked: HoldRequest): Refusal {
  const area = model.areas.find((s) => model.chart.sections[s].label === section);
  if (area !== undefined) {
    const n = Math.max(0, roomIn(model.book, area));
    return { text: plural("areaShort", n, { area: model.areaName(area) }) };
  }
  const best = asked.bestAvailable;
  const other = (more: Partial<typeof best>): HoldRequest => ({ ...asked, bestAvailable: { ...best!, ...more } });
  switch (reason) {
    case "sold_out": return { text: t("soldOutLead") };
    case "contended": return { text: t("errBusy"), offer: { label: t("retry"), request: asked } };
    case "price": return { text: t("noSeatsPrice"), offer: best && { label: t("tryAnyPrice"), request: other({ maxPrice: undefined, categories: undefined }) } };
    case "sections": return { text: t("noSeatsSections"), offer: best && { label: t("tryWholeVenue"), request: other({ sections: undefined }) } };
    case "accessible": return { text: t("noSeatsAccessible") };
    case "quantity": return { text: best ? t("noSeatsQuantity", { n: best.quantity }) : t("noSeats"), offer: best && best.quantity > 1 ? { label: plural("tryFewer", best.quantity - 1), request: other({ quantity: best.quantity - 1 }) } : undefined };
    default: return { text: t("noSeats") };
  }
}

function blocked(details: Record<string, unknown>, model: EventModel, asked: HoldRequest): Refusal {
  const seats = ordinals(details, model), names = listed(seats, model);
  const release = details.releaseAt ? t("releaseAt", { date: shortDate(String(details.releaseAt), model.detail.timeZone) }) : "";
  if (details.reason === "accessible") {
    const request = asked.bestAvailable ? undefined : { ...asked, accessible: true };
    return { text: [t("keptAsk", { seat: names }), release].filter(Boolean).join(" "), seats, offer: request && { label: t("needAccessible"), need: true, request } };
  }
  if (seats.length === 0) return { text: t("seatBlocked") };
  if (details.reason === "channel") return { text: [t("keptForPartner", { seats: names }), release].filter(Boolean).join(" "), seats, drop: seats };
  return { text: t("notForSale", { seats: names }), seats, drop: seats };
}

function orphan(lonely: number[], model: EventModel, asked: HoldRequest): Refusal {
  if (lonely.length === 0) return { text: t("orphan") };
  const chosen = (asked.seatIds ?? []).map((id) => model.ordinal(id)).filter((o) => o >= 0);
  const text = t("orphanSeat", { seat: listed(lonely, model) });
  const seats = instead(model, chosen, lonely);
  if (!seats) return { text, seats: lonely };
  const fresh = seats.filter((o) => !chosen.includes(o));
  const expectedTotal = model.total(seats, (asked.areas ?? []).map((a): [number, number] => [model.sectionOf(a.section), a.quantity]));
  const same = expectedTotal.amount === asked.expectedTotal?.amount;
  const label = seats.length === 1 || fresh.length > 1 ? listed(fresh, model) : seats.filter((o) => model.chart.row[o] === model.chart.row[fresh[0]]).map((o) => model.chart.number(o)).join(", ");
  return {
    text, seats: [...lonely, ...seats],
    offer: {
      label: t("orphanInstead", { seats: same ? label : `${label} (${money(expectedTotal)})` }),
      request: { ...asked, seatIds: seats.map((o) => model.chart.label(o)), expectedTotal },
    },
  };
}

const listed = (seats: readonly number[], model: EventModel): string => seats.map((o) => model.seatName(o)).join("; ");

const ordinals = (details: Record<string, unknown>, model: EventModel): number[] =>
  (Array.isArray(details.seats) ? details.seats : []).map((id) => model.ordinal(String(id))).filter((o) => o >= 0);

/** The seat ids a SEAT_TAKEN answer names. */
export const takenSeats = (problem: Problem): string[] =>
  Array.isArray(problem.details.seats) ? problem.details.seats.map(String) : [];

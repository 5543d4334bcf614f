import type { Order, Refund } from "../api/types.ts";

/**
 * What the page of an order says: where the order stands for its fan, which is finer than its status. Unpaid:
 * - preparing, continue, waiting: the payment is being opened, can be made, was begun in this tab
 * - unknown, delayed: a provider has not answered, none answers; closing: the time is over and the provider is asked
 * - declined: pay again while the seats are held; cancelling: the provider is asked to stop
 * Over: expired, cancelled (nothing was charged), late (money came for seats that were gone and goes back).
 * Paid: confirmed, partly, returned (all given back, the money is on its way), refunded; review: a person decides.
 */
export type OrderView =
  | "preparing" | "continue" | "waiting" | "unknown" | "delayed" | "closing" | "declined" | "cancelling"
  | "expired" | "cancelled" | "late" | "confirmed" | "partly" | "returned" | "refunded" | "review";

/** The view at an instant (server's time, ms). visited: the attempt whose payment page this tab has opened already. */
export function viewOf(order: Order, now: number, visited: string | null): OrderView {
  switch (order.status) {
    case "PENDING_PAYMENT": return order.cancelling ? "cancelling" : pending(order, now, visited);
    case "FAILED": return order.cancelling ? "cancelling" : holdLives(order, now) ? "declined" : ended(order, "expired");
    case "EXPIRED": return ended(order, "expired");
    case "CANCELLED": return order.tickets.length > 0 ? "returned" : ended(order, "cancelled");
    case "CONFIRMED": return "confirmed";
    case "PARTLY_REFUNDED": return order.tickets.some((k) => k.state === "VALID") ? "partly" : "returned"; // the last refund is on its way
    case "REFUNDED": return "refunded";
    case "REVIEW": return "review";
  }
}

function pending(order: Order, now: number, visited: string | null): OrderView {
  const { payment } = order;
  const over = deadline(order);
  if (payment?.status === "CAPTURED") return "waiting"; // the seats are being booked
  if (over !== null && over <= now) return "closing";
  if (order.paymentDelayed) return "delayed";
  if (payment?.status === "UNKNOWN") return "unknown";
  if (payment && visited === payment.attemptId) return "waiting";
  return payment?.actionUrl ? "continue" : "preparing";
}

const ended = ({ refunds }: Order, otherwise: OrderView): OrderView => (refunds.length > 0 ? "late" : otherwise);

const holdLives = ({ hold }: Order, now: number): boolean =>
  hold !== null && (hold.state === "ACTIVE" || hold.state === "PAYING") && Date.parse(hold.expiresAt) > now;

/** Until when the fan can pay: the provider's deadline, or the hold's. ms, or null. A failed attempt's counts no more. */
export function deadline({ payment, hold, status, paymentDelayed }: Order): number | null {
  const attempt = status === "PENDING_PAYMENT" && !paymentDelayed ? payment?.expiresAt : null;
  const ends = [attempt, hold?.expiresAt].filter((v): v is string => typeof v === "string").map((v) => Date.parse(v));
  return ends.length > 0 ? Math.min(...ends) : null;
}

/** Views in which the seats wait for money. */
export const unpaid = (view: OrderView): boolean => UNPAID.has(view);

const UNPAID = new Set<OrderView>(["preparing", "continue", "waiting", "unknown", "delayed", "closing", "declined", "cancelling"]);

/** Views in which money has come, so that there is a receipt. */
export const paid = (view: OrderView): boolean => !unpaid(view) && view !== "expired" && view !== "cancelled";

/** What the list of seats and prices is: a bill, a receipt, or what was never bought; "lost" was paid for, and the money goes back. */
export type Standing = "bill" | "receipt" | "unsold" | "lost";

export function standing(view: OrderView): Standing {
  if (view === "expired" || view === "cancelled") return "unsold";
  if (view === "late") return "lost";
  return unpaid(view) || view === "review" ? "bill" : "receipt";
}

/** The money is to go back and has not: nothing may say that it is on its way. */
export const stuck = (view: OrderView, refunds: readonly Refund[]): boolean =>
  (view === "returned" || view === "late") && refunds.some((r) => r.status === "FAILED");

/** Something of the order may change in the next second. */
const QUICK = new Set<OrderView>(["preparing", "waiting", "unknown", "closing", "cancelling"]);

/** A refund that is still on its way. */
export const underWay = ({ status }: Refund): boolean => status === "REQUESTED" || status === "PENDING";

/**
 * ms until the next look; null: nothing will change by itself. A payment is seen within a second of its webhook; what
 * takes minutes is looked at more slowly the longer it takes.
 */
export function nextLook(view: OrderView, refunds: readonly Refund[], looks: number, hidden: boolean): number | null {
  const quick = QUICK.has(view), moving = refunds.some(underWay);
  if (view === "expired" || view === "cancelled") return looks < 60 ? 5000 : null; // money may still come, and goes back
  if (!quick && !moving && !unpaid(view) && view !== "review" && view !== "returned") return null;
  if (hidden) return 5000;
  if (quick) return looks < 200 ? 700 : 2000;
  if (view === "delayed" || view === "continue") return 2500;
  if (view === "review") return 10_000;
  return looks < 30 ? 2000 : 10_000;
}

/** Why money goes back. */
export type Why = "returned" | "twice" | "late" | "unsold";

/** Refunds of tickets name them; other money bought nothing, and what else the order has says why. */
export function why(order: Order, refund: Refund): Why {
  if (refund.ticketIds.length > 0) return "returned";
  if (order.tickets.length > 0) return "twice";
  return order.status === "EXPIRED" || order.status === "CANCELLED" || order.status === "FAILED" ? "late" : "unsold";
}

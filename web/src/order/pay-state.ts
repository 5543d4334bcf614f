import type { Order } from "../api/types.ts";

/** What the page in front of the provider's shows. */
export type PayState = "preparing" | "continue" | "waiting" | "delayed" | "declined" | "gone" | "order";

/**
 * The state of an order's payment for the fan who looks at it now (server's time, ms). visited: the attempt whose
 * payment page this tab has opened already. "order" means that the order's own page says the rest.
 */
export function payState(order: Order, now: number, visited: string | null): PayState {
  switch (order.status) {
    case "PENDING_PAYMENT": return pending(order, visited);
    case "FAILED": return holdLives(order, now) ? "declined" : "gone";
    case "EXPIRED":
    case "CANCELLED": return "gone";
    default: return "order";
  }
}

function pending({ payment }: Order, visited: string | null): PayState {
  if (!payment) return "preparing";
  if (payment.status === "UNKNOWN") return "delayed";
  if (payment.status === "CAPTURED") return "waiting";
  if (!payment.actionUrl) return visited === payment.attemptId ? "waiting" : "preparing";
  return visited === payment.attemptId ? "waiting" : "continue";
}

const holdLives = ({ hold }: Order, now: number): boolean =>
  hold !== null && (hold.state === "ACTIVE" || hold.state === "PAYING") && Date.parse(hold.expiresAt) > now;

/** Until when the fan can pay: the provider's deadline, or the hold's. ms, or null. */
export function deadline({ payment, hold }: Order): number | null {
  const ends = [payment?.expiresAt, hold?.expiresAt].filter((v): v is string => typeof v === "string").map((v) => Date.parse(v));
  return ends.length > 0 ? Math.min(...ends) : null;
}

/** ms until the next look: quick while something is about to happen, slower the longer it does not; null: no need. */
export function nextLook(state: PayState, looks: number, hidden: boolean): number | null {
  if (state === "declined" || state === "gone" || state === "order") return null;
  if (hidden) return 5000;
  if (state === "continue") return 4000;
  return looks < 40 ? 750 : 3000;
}

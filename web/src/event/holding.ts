import { json, newKey, send } from "../api/client.ts";
import type { Hold, Money } from "../api/types.ts";
import { access } from "../auth/kept.ts";
import { sessionToken } from "../auth/session.ts";
import type { BestQuery } from "./best-form.ts";

/** What a fan asks to have held. */
export interface HoldRequest {
  seatIds?: string[];
  areas?: { section: string; quantity: number }[];
  bestAvailable?: BestQuery;
  accessible?: boolean;
  expectedTotal?: Money;
}

// The requests about one's own hold. Every one that changes something carries a key, so that a lost answer is asked again.

export const placeHold = (event: string, body: HoldRequest): Promise<Hold> =>
  json<Hold>(`/v1/events/${event}/holds`, { method: "POST", bearer: access(event)?.accessToken, idempotencyKey: newKey(), body });

export const myHold = async (event: string): Promise<Hold | null> =>
  (await json<{ hold: Hold | null }>(`/v1/events/${event}/holds/mine`, { bearer: sessionToken() })).hold;

export const extendHold = (hold: string): Promise<Hold> =>
  json<Hold>(`/v1/holds/${hold}/extend`, { method: "POST", bearer: sessionToken(), idempotencyKey: newKey(), body: {} });

export const releaseHold = async (hold: string): Promise<void> =>
  void (await send(`/v1/holds/${hold}`, { method: "DELETE", bearer: sessionToken() }));

export interface OrderMade { orderId: string; paymentUrl: string }

/** Makes the order of a hold and starts its payment. */
export const makeOrder = (holdId: string): Promise<OrderMade> =>
  json<OrderMade>("/v1/orders", { method: "POST", bearer: sessionToken(), idempotencyKey: newKey(), body: { holdId } });

/** Where a hold that is being paid for goes on. */
export const payPath = (hold: Hold): string => (hold.orderId ? `/pay/${encodeURIComponent(hold.orderId)}` : "/orders");

/** Where an order's tickets are. */
export const orderPath = (order: string): string => `/orders/${encodeURIComponent(order)}`;

export const linePath = (id: string, enter: boolean): string => `/line/${encodeURIComponent(id)}${enter ? "#enter" : ""}`;

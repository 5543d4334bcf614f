import { json, newKey } from "../api/client.ts";
import type { Order } from "../api/types.ts";
import { sessionToken } from "../auth/session.ts";

export const getOrder = (id: string): Promise<Order> => json<Order>(`/v1/orders/${encodeURIComponent(id)}`, { bearer: sessionToken() });

/** Another payment attempt for an order whose hold lives. */
export const payAgain = (id: string): Promise<unknown> =>
  json(`/v1/orders/${encodeURIComponent(id)}/pay`, { method: "POST", bearer: sessionToken(), idempotencyKey: newKey(), body: {} });

export const cancelOrder = (id: string): Promise<unknown> =>
  json(`/v1/orders/${encodeURIComponent(id)}/cancel`, { method: "POST", bearer: sessionToken(), idempotencyKey: newKey(), body: {} });

/** The id at the end of /orders/ID and /pay/ID. */
export const idFromPath = (): string => decodeURIComponent(location.pathname.split("/")[2] ?? "");

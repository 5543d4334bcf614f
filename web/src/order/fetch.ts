import { json, newKey } from "../api/client.ts";
import type { Order } from "../api/types.ts";
import { sessionToken } from "../auth/session.ts";
import { lasting } from "../base/storage.ts";

const path = (id: string, action = ""): string => `/v1/orders/${encodeURIComponent(id)}${action}`;

export const getOrder = (id: string): Promise<Order> => json<Order>(path(id), { bearer: sessionToken() });

async function post(id: string, action: string, body: object, idempotencyKey: string): Promise<void> {
  await json(path(id, action), { method: "POST", bearer: sessionToken(), idempotencyKey, body });
  tellOthers(id);
}

/** Another payment attempt for an order whose hold lives. */
export const payAgain = (id: string): Promise<void> => post(id, "/pay", {}, newKey());

/** Ends an unpaid order. */
export const cancelOrder = (id: string): Promise<void> => post(id, "/cancel", {}, newKey());

/** Gives tickets of a paid order back. The key is that of the fan's one decision: pressing again after a lost answer asks the same again. */
export const giveBack = (id: string, ticketIds: readonly string[], key: string): Promise<void> => post(id, "/cancel", { ticketIds }, key);

/** The id at the end of /orders/ID and /pay/ID. */
export const idFromPath = (): string => decodeURIComponent(location.pathname.split("/")[2] ?? "");

const NEWS = "plateia.news"; // the order that was changed last, written for the browser's other tabs

function tellOthers(id: string): void {
  lasting.set(NEWS, `${id} ${Date.now()}`);
}

/** Calls back when another tab of this browser has changed the order. */
export function onNews(id: string, changed: () => void, signal: AbortSignal): void {
  window.addEventListener("storage", (e) => e.key === NEWS && e.newValue?.startsWith(id) && changed(), { signal });
}

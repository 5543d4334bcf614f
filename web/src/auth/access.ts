import { json } from "../api/client.ts";
import type { Access, QueueEntry, QueueState } from "../api/types.ts";
import { clock } from "../base/clock.ts";
import { tabbed } from "../base/storage.ts";
import { deviceKey } from "./device-key.ts";
import { proof } from "./dpop.ts";
import { session } from "./session.ts";

// Kept per account: whoever signs in next in this tab must not buy with the one before's token.
const owner = (): string => session()?.account.accountId ?? "";
const accessKey = (event: string): string => `plateia.access.${event}.${owner()}`;
const queueKey = (event: string): string => `plateia.queue.${event}.${owner()}`;

/** The access token of an event kept for this tab, when it lives for at least 20 s more. */
export function access(event: string): Access | null {
  if (!owner()) return null;
  try {
    const kept = JSON.parse(tabbed.get(accessKey(event)) ?? "null") as Access | null;
    return kept && Date.parse(kept.expiresAt) - clock.now() > 20_000 ? kept : null;
  } catch {
    return null;
  }
}

export const dropAccess = (event: string): void => tabbed.remove(accessKey(event));

export const keptQueueToken = (event: string): string | null => tabbed.get(queueKey(event));

export function dropQueue(event: string): void {
  tabbed.remove(queueKey(event));
  dropAccess(event);
}

const prove = async (path: string, bearer: string): Promise<string> =>
  proof(await deviceKey(), "POST", location.origin + path, bearer, clock.now());

/** Takes a place in the event's line, or gets back the place the account has. */
export async function enterQueue(event: string, bearer: string): Promise<QueueEntry> {
  const path = `/v1/events/${event}/queue`;
  const entry = await json<QueueEntry>(path, { method: "POST", bearer, dpop: await prove(path, bearer) });
  tabbed.set(queueKey(event), entry.queueToken);
  return entry;
}

export const queueState = (queueToken: string): Promise<QueueState> => json<QueueState>("/v1/queue", { bearer: queueToken });

/** Redeems an admitted place for an access token. 409 WAITING when it is not the fan's turn yet. */
export async function claim(event: string, queueToken: string, bearer: string): Promise<Access> {
  const path = "/v1/queue/claim";
  const got = await json<Access>(path, { method: "POST", bearer, dpop: await prove(path, bearer), body: { queueToken } });
  tabbed.set(accessKey(event), JSON.stringify(got));
  return got;
}

import type { Access } from "../api/types.ts";
import { clock } from "../base/clock.ts";
import { lasting, tabbed } from "../base/storage.ts";
import { session } from "./session.ts";

// Kept per account: whoever signs in next in this browser must not buy with the one before's token.
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

export const keepAccess = (event: string, got: Access): void => tabbed.set(accessKey(event), JSON.stringify(got));

export const dropAccess = (event: string): void => tabbed.remove(accessKey(event));

/** The account's queue ticket: the place in line outlives the tab. */
export const keptTicket = (event: string): string | null => lasting.get(queueKey(event));

export const keepTicket = (event: string, token: string): void => lasting.set(queueKey(event), token);

export const dropTicket = (event: string): void => lasting.remove(queueKey(event));

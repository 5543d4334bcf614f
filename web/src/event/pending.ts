import { tabbed } from "../base/storage.ts";
import type { HoldRequest } from "./holding.ts";

const KEPT = 600_000; // ms: later nobody expects it any more. By this device's own clock: a page that has just been loaded knows no other

const key = (event: string): string => `plateia.pending.${event}`;

/** Keeps a hold that was asked for while the way leads through the line, which may be another page. */
export const keepPending = (event: string, request: HoldRequest): void => tabbed.set(key(event), JSON.stringify({ at: Date.now(), request }));

/** The hold that was asked for, once; null when there is none or it is long ago. */
export function takePending(event: string): HoldRequest | null {
  const text = tabbed.get(key(event));
  tabbed.remove(key(event));
  try {
    const kept = JSON.parse(text ?? "null") as { at: number; request: HoldRequest } | null;
    return kept && Date.now() - kept.at < KEPT ? kept.request : null;
  } catch {
    return null;
  }
}

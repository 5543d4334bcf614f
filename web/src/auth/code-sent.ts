import { tabbed } from "../base/storage.ts";
import type { CodeSent } from "./session.ts";

const KEY = "plateia.code";
const LIFE = 600_000; // ms that a code counts (core/account). By this device's own clock: a page that has just been loaded knows no other

interface Kept { email: string; at: number; sent: CodeSent }

/** Remembers in this tab that a code was sent: phones throw a page away while its reader looks for the mail. */
export const keepSent = (email: string, sent: CodeSent): void => tabbed.set(KEY, JSON.stringify({ email, at: Date.now(), sent } satisfies Kept));

export const dropSent = (): void => tabbed.remove(KEY);

/** The code that was asked for last in this tab, while it counts. email: only one for this address; "": for any. */
export function keptSent(email: string): Kept | null {
  try {
    const kept = JSON.parse(tabbed.get(KEY) ?? "null") as Kept | null;
    const counts = kept !== null && Math.abs(Date.now() - kept.at) < LIFE && (email === "" || email === kept.email);
    return counts ? kept : null;
  } catch {
    return null;
  }
}

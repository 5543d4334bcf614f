import { decode } from "./statement.ts";

/** What a queue ticket says. The page reads its own ticket; only servers judge one. */
export interface Ticket {
  event: string; epoch: number; pseudonym: string; class: "lottery" | "late"; tier: number;
  second: number; // Unix second of the entry
}

interface Claims { sub?: unknown; event?: unknown; epoch?: unknown; class?: unknown; tier?: unknown; iat?: unknown; exp?: unknown }

/** Reads a queue ticket; null when it is none, or is over at now (ms). */
export function readTicket(token: string, now: number): Ticket | null {
  try {
    const c = JSON.parse(new TextDecoder().decode(decode(token.split(".")[1]!))) as Claims;
    if (typeof c.sub !== "string" || typeof c.event !== "string" || (c.class !== "lottery" && c.class !== "late")) return null;
    if (!(Number(c.exp) * 1000 > now)) return null;
    return { event: c.event, epoch: Number(c.epoch), pseudonym: c.sub, class: c.class, tier: Number(c.tier ?? 0), second: Number(c.iat) };
  } catch {
    return null;
  }
}


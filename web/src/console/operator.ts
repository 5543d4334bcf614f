import { json } from "../api/client.ts";
import { tabbed } from "../base/storage.ts";
import type { Draft, Partner, Room } from "./types.ts";

/** Who acts, and the key that says they may. It lives in this tab only, and goes into headers, never into an address. */
export interface Operator { who: string; key: string }

const PLACE = "plateia.operator";

export function operator(): Operator | null {
  try {
    const kept = JSON.parse(tabbed.get(PLACE) ?? "null") as Partial<Operator> | null;
    return kept && typeof kept.who === "string" && typeof kept.key === "string" ? { who: kept.who, key: kept.key } : null;
  } catch {
    return null;
  }
}

export const keep = (who: Operator): void => tabbed.set(PLACE, JSON.stringify(who));
export const forget = (): void => tabbed.remove(PLACE);

const room = (eventId: string, rest: string): string => `/v1/ops/events/${encodeURIComponent(eventId)}/room${rest}`;

/** Reads something about a room. */
export const look = <T>(eventId: string, rest = ""): Promise<T> => json<T>(room(eventId, rest), { bearer: operator()?.key });

/** Reads the rooms, with a key that may not be kept yet. */
export const rooms = (key = operator()?.key): Promise<{ rooms: Room[] }> => json("/v1/ops/rooms", { bearer: key });

/** Changes a room, signed with who and why. */
export const act = <T>(eventId: string, what: string, why: string, body: object = {}): Promise<T> =>
  json<T>(room(eventId, `/${what}`), { method: "POST", bearer: operator()?.key, body: { ...body, who: operator()?.who, why } });

const partner = (id: string, rest = ""): string => `/v1/ops/partners/${encodeURIComponent(id)}${rest}`;

/** Reads something about partners: nothing more for the list, "/ID" for one with its events. */
export const partners = <T>(rest = ""): Promise<T> => json<T>(`/v1/ops/partners${rest}`, { bearer: operator()?.key });

/** Makes a partner what the draft says. */
export const putPartner = (id: string, draft: Draft, why: string): Promise<Partner> =>
  json<Partner>(partner(id), { method: "PUT", bearer: operator()?.key, body: { ...draft, who: operator()?.who, why } });

export const removePartner = (id: string, version: number, why: string): Promise<Partner> =>
  json<Partner>(partner(id, "/removal"), { method: "POST", bearer: operator()?.key, body: { version, who: operator()?.who, why } });

/** Reads a page of an audit: a room's, or that of all partners. */
export const actions = <T>(path: string, cursor: string): Promise<T> =>
  json<T>(path + (cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""), { bearer: operator()?.key });

export const roomActions = (eventId: string): string => room(eventId, "/actions");
export const PARTNER_ACTIONS = "/v1/ops/partner-actions";

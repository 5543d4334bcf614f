import { json } from "../api/client.ts";
import type { Access, QueueEntry, QueuePlace } from "../api/types.ts";
import { clock } from "../base/clock.ts";
import { deviceKey } from "./device-key.ts";
import { proof } from "./dpop.ts";
import { keepAccess, keepTicket } from "./kept.ts";

const prove = async (path: string, bearer: string): Promise<string> =>
  proof(await deviceKey(), "POST", location.origin + path, bearer, clock.now());

/** What may be asked for beside the session: an answer to a challenge, a presale code. */
export interface Asked { challenge?: string; code?: string }

/** Takes a place in the event's line, or gets back the place the account has. */
export async function enterQueue(event: string, bearer: string, asked: Asked = {}): Promise<QueueEntry> {
  const path = `/v1/events/${event}/queue`;
  const body = Object.keys(asked).length > 0 ? asked : undefined;
  const entry = await json<QueueEntry>(path, { method: "POST", bearer, dpop: await prove(path, bearer), body });
  keepTicket(event, entry.queueToken);
  return entry;
}

/** Where a ticket stands, in the gate's words. */
export const queuePlace = (queueToken: string): Promise<QueuePlace> => json<QueuePlace>("/v1/queue", { bearer: queueToken });

/** Redeems a place whose turn it is for an access token. 409 WAITING when it is not. */
export async function claim(event: string, queueToken: string, bearer: string): Promise<Access> {
  const path = "/v1/queue/claim";
  const got = await json<Access>(path, { method: "POST", bearer, dpop: await prove(path, bearer), body: { queueToken } });
  keepAccess(event, got);
  return got;
}

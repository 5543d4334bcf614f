import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { database } from "./database.ts";
import { ask, get, THEATRE, URL_ } from "./fan.ts";
import { until } from "./wait.ts";

/** The key that opens /v1/ops in the product under test (tools/e2e.mjs sets it; else that of `plateia dev`). */
export const KEY = process.env.PLATEIA_OPERATOR_KEY ?? "plateia-dev-operator-key";

const asOperator = { Authorization: `Bearer ${KEY}`, "Plateia-Operator": "e2e" };

/** Whether events of one's own can be made. */
export const canMake = (): boolean => database() !== null;

/** Whether they can be made, and their rooms led. */
export const canLead = async (): Promise<boolean> =>
  canMake() && (await ask(`${URL_}/v1/ops/rooms`, { headers: asOperator })).ok;

/**
 * Makes an event with the demo theatre's seats that goes on sale in some seconds (or did, below zero). claimSeconds: of its line. It
 * takes place after all others, so that however many there are none leaves the first page of the list. columns: some of its own, values
 * as SQL, in the same transaction: the product keeps what it has read of an event.
 */
export async function newEvent(inSeconds: number, claimSeconds = 600, columns: Record<string, string> = {}): Promise<string> {
  const sql = database()!, theatre = THEATRE, id = randomUUID();
  const state = inSeconds > 0 ? "scheduled" : "on_sale", sets = Object.entries(columns).map(([name, value]) => `${name} = ${value}`);
  sql(`insert into event_stock (event_id, available, held, sold, blocked, counted_at)
    select '${id}', available + held + sold, 0, 0, blocked, now() from event_stock where event_id = '${theatre}'`);
  sql(`insert into seat (event_id, ordinal, status, owner, category, channel, version)
    select '${id}', ordinal, case when status in (1, 2) then 0 else status end, null, category, channel, 1 from seat where event_id = '${theatre}'`);
  sql(`insert into event (event_id, title, venue, genre, time_zone, currency, home_region, starts_at, on_sale_at, state, chart_id, chart_version, capacity, prices, rules, search, epoch, version, created_at)
    select '${id}', 'Noite de sorteio', venue, genre, time_zone, currency, home_region, starts_at + interval '300 days', date_trunc('second', now()) + interval '${inSeconds} seconds', '${state}', chart_id, chart_version, capacity, prices,
    jsonb_set(rules, '{queue}', '{"claimSeconds": ${claimSeconds}}'), 'noite de sorteio', 1, 1, now() from event where event_id = '${theatre}';
    update event set ${["event_id = event_id", ...sets].join(", ")} where event_id = '${id}'`);
  return id;
}

/** An event on sale that no other test knows; the demo theatre where none can be made. */
export const ownEvent = async (): Promise<string> => (canMake() ? newEvent(-60) : THEATRE);

/** Asks for something as an operator. */
async function operate(event: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await ask(`${URL_}/v1/ops/events/${event}/room${path}`, {
    method: body ? "POST" : "GET", headers: { ...asOperator, "Content-Type": "application/json" }, body: body && JSON.stringify({ why: "a test", ...body }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Waits until the event has a room, and answers how many people may be inside it. */
export async function openRoom(event: string): Promise<number> {
  await get(`${URL_}/v1/events/${event}/frontier`); // the first question makes the room
  return until("the event has no room", async () => {
    const answer = await ask(`${URL_}/v1/ops/events/${event}/room`, { headers: asOperator });
    return answer.ok ? Number(((await answer.json()) as { target: number }).target) : undefined;
  });
}

/** Lets only so many people inside the event. */
export async function limit(event: string, target: number): Promise<void> {
  const from = await openRoom(event);
  if (from !== target) await operate(event, "/target", { from, target });
}

export const pause = (event: string, text: string): Promise<unknown> =>
  operate(event, "/pause", { reason: "payments", text: { en: text }, nextUpdate: new Date(Date.now() + 900_000).toISOString() });

export const resume = (event: string): Promise<unknown> => operate(event, "/resume", {});

/** Starts the line anew. */
export const restart = (event: string): Promise<unknown> => operate(event, "/reset", { epoch: 1 });

/** Waits until the waiting room's page says this (see src/room/view.ts). */
export const showsBoard = async (page: Page, ...views: string[]): Promise<void> =>
  void (await page.waitForSelector(views.map((v) => `#board[data-view="${v}"]`).join(", ")));

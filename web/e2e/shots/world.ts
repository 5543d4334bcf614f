import { database } from "../database.ts";
import { newEvent } from "../room.ts";

/** The database, which most states are made in. */
export function sql(statement: string): string {
  const ask = database();
  if (!ask) throw new Error("the product's private database cannot be reached");
  return ask(statement);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** An event with the theatre's seats that has some columns of its own: values as SQL, before anybody has asked for it. */
export const eventWith = (columns: Record<string, string>, inSeconds = -60, claimSeconds = 600): Promise<string> => newEvent(inSeconds, claimSeconds, columns);

/** Title, place and day, as columns of an event. */
export const programme = (title: string, hall: string, city: string, genre: string, weeks: number): Record<string, string> => ({
  title: quoted(title), genre: quoted(genre), search: quoted(`${title} ${hall} ${city} ${genre}`.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()),
  venue: `venue || ${quoted(JSON.stringify({ Name: hall, City: city }))}::jsonb`, starts_at: `date_trunc('hour', now()) + interval '${weeks * 7} days'`,
});

/** Nothing of it is free any more. share: of the seats that somebody has bought, from 0 to 1. */
export function sell(event: string, share = 1): void {
  sql(`update seat set status = 2, owner = gen_random_uuid() where event_id = '${event}' and status = 0 and (ordinal * 7919) % 100 < ${share * 100}`);
  sql(`update event_stock set available = s.free, sold = s.sold from (select count(*) filter (where status = 0) free,
    count(*) filter (where status = 2) sold from seat where event_id = '${event}') s where event_id = '${event}'`);
}

/** The newest hold of an event ends in so many seconds, for the sweeper too: its list says when to look at the hold. */
export function endHold(event: string, inSeconds: number): void {
  sql(`with ending as (update hold set expires_at = now() + interval '${inSeconds} seconds'
      where hold_id = (select hold_id from hold where event_id = '${event}' order by created_at desc limit 1) returning hold_id)
    update hold_due set due_at = now() + interval '${inSeconds} seconds' where (select hold_id from ending) = any(holds)`);
}

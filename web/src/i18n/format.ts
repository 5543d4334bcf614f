import type { Money, Venue } from "../api/types.ts";
import { hour, language } from "./speech.ts";

const moneyFormats = new Map<string, Intl.NumberFormat>();

/** How a currency is written: R$ in Spanish too, where its code would stand; of the others a narrow sign ("$") could be anybody's. */
export const moneyStyle = (currency: string): Intl.NumberFormatOptions & { trailingZeroDisplay?: string } =>
  ({ style: "currency", currency, currencyDisplay: currency === "BRL" ? "narrowSymbol" : "symbol" });

function moneyFormat(currency: string, short: boolean): Intl.NumberFormat {
  const key = `${currency}${short}`;
  let format = moneyFormats.get(key);
  if (!format) {
    const options = moneyStyle(currency);
    if (short) options.trailingZeroDisplay = "stripIfInteger";
    format = new Intl.NumberFormat(language, options as Intl.NumberFormatOptions);
    moneyFormats.set(key, format);
  }
  return format;
}

/** Minor units a currency's unit has, as a power of ten: 2 for BRL, 0 for JPY, 3 for KWD. */
export const exponent = (currency: string): number =>
  moneyFormat(currency, false).resolvedOptions().maximumFractionDigits ?? 2;

/** An amount with all its digits, for totals. */
export const money = (m: Money): string =>
  moneyFormat(m.currency, false).format(m.amount / 10 ** exponent(m.currency));

/** An amount without ",00", for prices in tight places. */
export const price = (m: Money): string =>
  moneyFormat(m.currency, true).format(m.amount / 10 ** exponent(m.currency));

/** A rate in hundredths of a percent: 700 is "7%". */
export const percent = (rate: number): string =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 }).format(rate / 10_000);

/** "Section 106", but "Stalls" and "Tribuna 2": what has a word of its own needs none before it. section puts it before a number or a letter. */
export const sectionName = (name: string, section: (name: string) => string): string => (/\p{L}{4}/u.test(name) ? name : section(name));

/** Where it is: a venue may have no city. */
export const venueLine = (v: Venue, between = ", "): string => [v.name, v.city].filter(Boolean).join(between);

/** "PM" begins no line. */
export const oneTime = (date: string): string => date.replace(/ (?=[AP]M)/, "\u00a0");

/** Date and time of an instant in the event's own zone, whatever the zone of the browser. */
export const eventDate = (iso: string, timeZone: string): string => longDate(iso, { timeZone, ...zoneName(timeZone, iso) });

/** The same with the zone's name for everybody, as in a page of somebody else's. */
export const zonedDate = (iso: string, timeZone: string): string => longDate(iso, { timeZone, timeZoneName: "short" });

const longDate = (iso: string, zone: Intl.DateTimeFormatOptions): string => oneTime(new Intl.DateTimeFormat(language, {
  weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "numeric", minute: "2-digit", ...zone,
}).format(new Date(iso))).replace("GMT-", "GMT\u2212"); // a minus does not end a line

/** Date and time of an event in its own zone, for a card that names its city; local says that the time is the city's, where the reader's clock shows another. */
export function cardDate(iso: string, timeZone: string, local: (date: string) => string): string {
  const date = oneTime(new Intl.DateTimeFormat(language, {
    weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "numeric", minute: "2-digit", timeZone,
  }).format(new Date(iso)));
  return here(timeZone, iso) ? date : local(date);
}

/** A short form of eventDate. */
export function shortDate(iso: string, timeZone: string): string {
  return new Intl.DateTimeFormat(language, {
    weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit", timeZone, ...zoneName(timeZone, iso),
  }).format(new Date(iso));
}

/** The parts of a date for a ticket stub, in the event's zone. */
export function stub(iso: string, timeZone: string): { day: string; month: string; weekday: string; year: string; time: string } {
  const one = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(language, { timeZone, ...options }).format(new Date(iso)).replace(/\.$/, "");
  return {
    day: one({ day: "numeric" }), month: one({ month: "short" }), weekday: one({ weekday: "short" }),
    year: one({ year: "numeric" }), time: one({ hour: "numeric", minute: "2-digit" }),
  };
}

/** Date and time in the reader's own zone, for things that happened to them (an order). */
export const ownDate = (iso: string): string =>
  oneTime(new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso)));

/** The time of day in the reader's own zone, for a sentence, to the minute that has begun: what is promised until then lasts longer. It stays in one line. */
export const ownTime = (ms: number): string =>
  hour(new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" }).format(ms)).replace(/\s/g, "\u00a0");

/** Names the zone only for readers whose clock shows something else at that instant. */
const zoneName = (timeZone: string, iso: string): Intl.DateTimeFormatOptions => (here(timeZone, iso) ? {} : { timeZoneName: "short" });

/** Whether the reader's clock shows the same at that instant. */
function here(timeZone: string, iso: string): boolean {
  const at = new Date(iso);
  const wall = (zone?: string): string =>
    new Intl.DateTimeFormat("en", { dateStyle: "short", timeStyle: "short", timeZone: zone }).format(at);
  return wall(timeZone) === wall();
}

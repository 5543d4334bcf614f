// Days as in 2026-11-30. They are days of the calendar, without a time zone: each event's place has its own.
import { language } from "../i18n/speech.ts";

export type Span = "today" | "weekend" | "week" | "month";

const DAY = 86_400_000; // ms

const at = (day: string): Date => new Date(`${day}T00:00:00Z`);
const later = (day: string, days: number): string => new Date(at(day).getTime() + days * DAY).toISOString().slice(0, 10);

/** The day that the fan's calendar shows. */
export function todayHere(now = new Date()): string {
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** The days of a span: a weekend that has begun is this one. */
export function daysOf(span: Span, today: string): { from: string; to: string } {
  if (span === "today") return { from: today, to: today };
  if (span === "week") return { from: today, to: later(today, 6) };
  if (span === "month") return { from: today, to: later(today, 29) };
  const weekday = at(today).getUTCDay(); // 0 is Sunday
  const saturday = weekday === 0 ? today : later(today, 6 - weekday);
  return { from: saturday, to: weekday === 0 ? today : later(saturday, 1) };
}

/** The span that days are, or "own", or "" for any. */
export function spanOf(from: string, to: string, today: string): Span | "own" | "" {
  if (!from && !to) return "";
  const is = (span: Span): boolean => daysOf(span, today).from === from && daysOf(span, today).to === to;
  return (["today", "weekend", "week", "month"] as const).find(is) ?? "own";
}

/** Days as people write them: "Dec 1 – 7". An open end is a dash. */
export function daysText(from: string, to: string): string {
  const format = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
  if (from && to) return from === to ? format.format(at(from)) : format.formatRange(at(from), at(to));
  return from ? `${format.format(at(from))} –` : `– ${format.format(at(to))}`;
}

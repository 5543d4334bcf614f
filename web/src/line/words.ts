import { line } from "../i18n/en/line.ts";
import { count, hour, language, speech } from "../i18n/speech.ts";

export { count };

/** The texts of the waiting room. */
export const { t, plural } = speech(line);

/** The time of day in the reader's own zone, for a sentence. */
export const clockTime = (ms: number): string =>
  hour(new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" }).format(ms));

/** The same with seconds. */
export const exactTime = (ms: number): string =>
  hour(new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit", second: "2-digit" }).format(ms));

/** A share in percent, rounded down, so that no more is promised than holds. */
export const percentOf = (share: number): string =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0, roundingMode: "floor" } as Intl.NumberFormatOptions).format(share);

/** A span in minutes, or, to five minutes, hours and minutes. */
export function spanText(ms: number, round: (n: number) => number = Math.round): string {
  const exact = ms / 60_000, m = exact < 90 ? Math.max(1, round(exact)) : round(exact / 5) * 5;
  return m < 90 ? t("minutes", { m }) : t("hours", { h: Math.floor(m / 60), m: m % 60 });
}

/** A range of spans, ms, with the unit said once: "26–27 min". */
export function rangeText(low: number, high: number): string {
  const from = spanText(low, Math.floor), to = spanText(high, Math.ceil), unit = t("minutes", { m: "" });
  if (from === to) return to;
  return high < 90 * 60_000 ? `${from.slice(0, -unit.length)}–${to}` : `${from} – ${to}`;
}

/** A countdown: m:ss, h:mm:ss, with days in front when there are some. */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000)), days = Math.floor(s / 86_400), two = (n: number): string => String(n).padStart(2, "0");
  const h = Math.floor(s / 3600) % 24, m = Math.floor(s / 60) % 60;
  const clock = h > 0 || days > 0 ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
  return days > 0 ? `${plural("days", days)} ${clock}` : clock;
}

/** The operator's words in the page's language, or the nearest there are. */
export function inWords(text: Record<string, string>): string {
  const short = language.split("-")[0]!;
  const near = Object.keys(text).find((tag) => tag.toLowerCase().split("-")[0] === short);
  return text[language] ?? (near ? text[near]! : undefined) ?? text.en ?? Object.values(text)[0] ?? "";
}

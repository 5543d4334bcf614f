import { base } from "../i18n/en/base.ts";
import { desk } from "../i18n/en/console.ts";
import { hour, language, speech } from "../i18n/speech.ts";

/** The texts of the console. */
export const { t } = speech({ ...base, ...desk });

const shares = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
const rates = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 }), slowRates = new Intl.NumberFormat(language, { maximumSignificantDigits: 1 });
const clocks = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit", second: "2-digit" });
const minutes = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" });

export const share = (part: number): string => shares.format(part);
export const rate = (n: number): string => (n < 0.1 ? slowRates : rates).format(n);
/** A time of day in the operator's own zone. */
export const timeOf = (at: number | string): string => clocks.format(new Date(at));
/** The same for a sentence. */
export const spokenTime = (at: number | string): string => hour(timeOf(at));
export const minuteOf = (at: number): string => minutes.format(new Date(at));

/** A span such as "1 h 5 min" or "12 s". */
export function span(seconds: number): string {
  const unit = (n: number, unit: string): string =>
    new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 }).format(n);
  const whole = Math.round(seconds);
  if (whole < 60) return unit(whole, "second");
  if (whole < 3600) return [unit(Math.floor(whole / 60), "minute"), whole % 60 ? unit(whole % 60, "second") : ""].filter(Boolean).join(" ");
  return [unit(Math.floor(whole / 3600), "hour"), unit(Math.floor((whole % 3600) / 60), "minute")].join(" ");
}

// How long until an event goes on sale, by the server's clock.
import { clock } from "../base/clock.ts";
import { language } from "../i18n/speech.ts";

/** From when on people want to count, ms before. */
export const COUNTED = 7 * 86_400_000;

const STEPS: [unit: string, ms: number][] = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1000]];

/** A span in its two largest units, "2 hr 14 min", rounded up to the smaller one: it never says that nothing is left before that is so. */
export function spanText(ms: number): string {
  const left = Math.max(1000, ms);
  const smaller = STEPS[Math.min(STEPS.length - 1, 1 + STEPS.findIndex(([, size]) => left >= size))]![1];
  const rounded = Math.ceil(left / smaller) * smaller;
  const first = STEPS.findIndex(([, size]) => rounded >= size);
  const [unit, size] = STEPS[first]!, next = STEPS[first + 1];
  const rest = next ? Math.floor((rounded % size) / next[1]) : 0;
  const whole = written(unit, Math.floor(rounded / size));
  return next && rest > 0 ? `${whole} ${written(next[0], rest)}` : whole;
}

const written = (unit: string, n: number): string =>
  new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(n);

/** Counts down in elements that say since when they are: one timer for all of a page's, none while there are none. */
export class Openings {
  readonly #all = new Map<HTMLElement, { at: number; say: (left: number) => void }>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Says how long is left now and every second. What is gone from the page is forgotten. */
  add(element: HTMLElement, at: number, say: (left: number) => void): void {
    this.#all.set(element, { at, say });
    say(at - clock.now());
    this.#timer ??= setInterval(() => this.#tick(), 1000);
  }

  #tick(): void {
    for (const [element, { at, say }] of this.#all) {
      if (element.isConnected) say(at - clock.now());
      else this.#all.delete(element);
    }
    if (this.#all.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

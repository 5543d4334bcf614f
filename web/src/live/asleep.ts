import type { Surroundings } from "./surroundings.ts";
import type { SomeTimers } from "./timers.ts";

const BEAT = 10_000; // ms; a beat that is late by more than SLEPT: the device was asleep
const SLEPT = 20_000;

/** Calls back after a sleep. Not every device that sleeps hides its page first, and its timers stand still meanwhile: only the clock tells. */
export function watchSleep(at: Surroundings, timers: SomeTimers<"beat">, woke: () => void): void {
  const began = at.now();
  timers.start("beat", BEAT, () => {
    const late = at.now() - began - BEAT;
    watchSleep(at, timers, woke);
    if (late > SLEPT) woke();
  });
}

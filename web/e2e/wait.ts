import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { PATIENCE } from "./browser.ts";

// A page is allowed another frame, and a server another answer: what a test wants is waited for. These wait as long as PATIENCE
// allows, and then say what was there in its place.

const STEP = 100; // ms between two looks

/** Asks until there is an answer. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + PATIENCE; ; await pause()) {
    const found = await ask();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(what);
  }
}

/** Waits until the answer is exactly this. */
export async function becomes<T>(ask: () => Promise<T>, want: T, what?: string): Promise<void> {
  const got = await last(ask, (answer) => isDeepStrictEqual(answer, want));
  assert.deepEqual(got, want, what);
}

/** Waits until a text is one that matches. */
export async function says(ask: () => Promise<string | null>, pattern: RegExp, what?: string): Promise<void> {
  const got = await last(ask, (answer) => pattern.test(answer ?? ""));
  assert.match(got ?? "", pattern, what);
}

/** The first answer that is enough, or the one that there was when patience (ms) ended. */
export async function last<T>(ask: () => Promise<T>, enough: (answer: T) => boolean, patience = PATIENCE): Promise<T> {
  for (const end = Date.now() + patience; ; await pause()) {
    const answer = await ask();
    if (enough(answer) || Date.now() > end) return answer;
  }
}

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, STEP));

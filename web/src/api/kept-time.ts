import { clock } from "../base/clock.ts";
import { kept, learnTime } from "./client.ts";

// An answer that the browser may have kept still says between which instants it was handed out. A clock outside of them is wrong by more
// than that. Whoever only looks is told nothing but such answers, and would count down to the wrong instant for ever.

const TIMEOUT = 15_000; // ms
const MOST = 120; // s: what browsers keep for longer says nothing about the time
const SLACK = 5000; // ms: Date and Age are cut to seconds, and a crowd whose clocks are off by less need not ask

let asking: Promise<void> | null = null;

kept.look = async (response, sentAt, path) => {
  if (contradicts(response, sentAt)) await (asking ??= askTime(path).finally(() => (asking = null)));
};

function contradicts({ headers }: Response, sentAt: number): boolean {
  const seconds = [...(headers.get("Cache-Control") ?? "").matchAll(/(?:max-age|stale-while-revalidate)=(\d+)/g)].reduce((sum, [, s]) => sum + Number(s), 0);
  const from = Date.parse(headers.get("Date") ?? "") + Number(headers.get("Age") ?? 0) * 1000, now = clock.now();
  return seconds <= MOST && (now < from - SLACK || now > from + seconds * 1000 + (Date.now() - sentAt) + SLACK);
}

/** Asks for the same once more, past the browser's cache, for the time alone. */
async function askTime(path: string): Promise<void> {
  const sentAt = Date.now();
  await fetch(path, { credentials: "omit", cache: "reload", signal: AbortSignal.timeout(TIMEOUT) }).then((answer) => learnTime(answer, sentAt), () => {});
}

import { send } from "../api/client.ts";
import { lasting } from "../base/storage.ts";

const KEY = "plateia.charts";
const CHART = /^\/v1\/charts\//;
const MOST = 8; // events that are remembered

type Ask = (url: string, again: boolean) => Promise<ArrayBuffer>;

const fetched: Ask = async (url, again) => (await send(url, { accept: "application/octet-stream", again })).arrayBuffer();

/** What is made of a chart's bytes, and what is done with that at once, before anybody else has it. */
export interface Reading<T> { read(bytes: ArrayBuffer): T; show(chart: T): Promise<void> | void }

/**
 * Asks for the chart that came named with the page, or else the one that the event had when this browser showed it last, before the event
 * says which it has: it mostly comes out of the browser's cache, and is on the screen while the server is still being asked. What is under a chart's address never
 * changes. Answers how to get the chart that the event does have; may be called again after a failure.
 */
export function chartOf<T>(event: string, { read, show }: Reading<T>, ask: Ask = fetched): (url: string) => Promise<T> {
  const before = told() ?? seen(event);
  let other = false; // the event has another by now
  const open = async (url: string, again: boolean): Promise<T | null> => {
    const chart = read(await ask(url, again));
    if (!again && other) return null;
    await show(chart);
    return chart;
  };
  let early = before === undefined ? null : open(before, false).catch(() => null);
  return async (url) => {
    other = url !== before;
    const found = url === before ? await early : null;
    early = null;
    const chart = found ?? (await open(url, true))!;
    if (url !== seen(event)) lasting.set(KEY, JSON.stringify([[event, url], ...known().filter(([id]) => id !== event)].slice(0, MOST)));
    return chart;
  };
}

/** What came with the page (edge/local/ahead.go): it is there without the wait that a browser's storage may need. */
function told(): string | undefined {
  const [page] = globalThis.performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const url = page?.serverTiming?.find(({ name }) => name === "chart")?.description;
  return url && CHART.test(url) ? url : undefined;
}

const seen = (event: string): string | undefined => known().find(([id]) => id === event)?.[1];

function known(): [event: string, url: string][] {
  try {
    const all: unknown = JSON.parse(lasting.get(KEY) ?? "[]");
    return Array.isArray(all) ? all.filter((e): e is [string, string] => Array.isArray(e) && typeof e[0] === "string" && CHART.test(String(e[1]))) : [];
  } catch {
    return [];
  }
}

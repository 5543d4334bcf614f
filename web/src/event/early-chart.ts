import { send } from "../api/client.ts";
import { lasting } from "../base/storage.ts";

const KEY = "plateia.charts";
const MOST = 8; // events that are remembered

type Ask = (url: string, again: boolean) => Promise<ArrayBuffer>;

const fetched: Ask = async (url, again) => (await send(url, { accept: "application/octet-stream", again })).arrayBuffer();

/**
 * Asks for the chart that an event had when this browser showed it last, before the event says which it has: the browser's
 * cache then has it ready in time for the first frame. What is under a chart's address never changes. Answers how to get
 * the chart that the event does have; may be called again after a failure.
 */
export function chartOf(event: string, ask: Ask = fetched): (url: string) => Promise<ArrayBuffer> {
  const before = known().find(([id]) => id === event)?.[1];
  let early = before === undefined ? null : ask(before, false).catch(() => null);
  return async (url) => {
    const found = url === before ? await early : null;
    early = null;
    const chart = found ?? await ask(url, true);
    if (url !== before) lasting.set(KEY, JSON.stringify([[event, url], ...known().filter(([id]) => id !== event)].slice(0, MOST)));
    return chart;
  };
}

function known(): [event: string, url: string][] {
  try {
    const all: unknown = JSON.parse(lasting.get(KEY) ?? "[]");
    return Array.isArray(all) ? all.filter((e): e is [string, string] => Array.isArray(e) && typeof e[0] === "string" && /^\/v1\/charts\//.test(String(e[1]))) : [];
  } catch {
    return [];
  }
}

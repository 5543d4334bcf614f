import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { URL_ } from "./fan.ts";

// The sandbox's merchant API: what goes wrong with the payments of an order, and what moved money.

export type Fault = "delay" | "duplicate" | "drop" | "silence" | "late" | "amount" | "error" | "timeout" | "refund-fails" | "refund-returns";

const file = (name: string): string => join(process.env.PLATEIA_DATA || "/nonexistent", `${name}-secrets.json`);

/** Whether the product's data folder can be read, which the rest here needs. */
export const reachable = (): boolean => existsSync(file("sandbox"));

async function ask<T>(name: string, method: string, path: string, body?: object): Promise<T> {
  const { api } = JSON.parse(readFileSync(file(name), "utf8")) as { api: string };
  const response = await fetch(`${URL_}/${name}/v1${path}`, {
    method, headers: { Authorization: `Bearer ${api}`, "Content-Type": "application/json", Connection: "close" }, body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text ? JSON.parse(text) : undefined) as T;
}

const NAMES = ["sandbox", "sandbox2"];

/** What the payments of some orders meet, in the place of what was said before; pauseMs is the measure of "late". */
export async function disturb(orders: Record<string, Fault[]>, pauseMs = 200): Promise<void> {
  for (const name of NAMES) await ask(name, "PUT", "/chaos", { orders, pauseMs });
}

export interface Moved { order: string; kind: "capture" | "refund"; amount: number; currency: string }

/** All money that moved for an order, by the providers' own books. */
export async function moved(order: string): Promise<Moved[]> {
  const out: Moved[] = [];
  for (const name of NAMES) {
    for (let cursor = ""; ;) {
      const page = await ask<{ entries: Moved[]; next?: string }>(name, "GET", `/ledger?cursor=${encodeURIComponent(cursor)}`);
      out.push(...page.entries.filter((e) => e.order === order));
      if (!page.next) break;
      cursor = page.next;
    }
  }
  return out;
}

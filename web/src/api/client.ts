import { about, clock } from "../base/clock.ts";
import { offline, Problem, problemOf } from "./problem.ts";

export interface Request {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: unknown;
  bearer?: string | null;
  dpop?: string;
  /** Makes a POST repeatable: the same key is sent again after a lost answer. */
  idempotencyKey?: string;
  accept?: string;
  signal?: AbortSignal;
  /** "no-cache": the browser's own cache asks first whether what it has is still right. */
  cache?: RequestCache;
  /** false: one attempt only, for those who ask again by themselves. */
  again?: boolean;
}

/** A request's key. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

const TIMEOUT = 15_000; // ms per attempt
const PAUSES = [300, 1200]; // ms before the second and third attempt

/** Whether the same request may simply be sent again: nothing was decided, or the key makes repeating harmless. */
function repeatable(request: Request, problem: Problem): boolean {
  const { method = "GET", idempotencyKey, again } = request;
  if (again === false || (method !== "GET" && method !== "DELETE" && !idempotencyKey)) return false; // seats that are given back twice are given back
  return problem.code === "OFFLINE" || problem.code === "OUTCOME_UNKNOWN" || problem.code === "IN_PROGRESS" ||
    (problem.status === 503 && problem.retryAfter <= 2);
}

/** Sends a request and answers the response, or throws a Problem. Bounded: at most three attempts of 15 s. */
export async function send(path: string, request: Request = {}): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await once(path, request, attempt);
    } catch (error) {
      const pause = PAUSES[attempt];
      if (!(error instanceof Problem) || pause === undefined || !repeatable(request, error)) throw error;
      await new Promise((done) => setTimeout(done, about(pause)));
      if (request.signal?.aborted) throw error;
    }
  }
}

async function once(path: string, request: Request, attempt: number): Promise<Response> {
  const headers = new Headers({ Accept: request.accept ?? "application/json" });
  if (request.bearer) headers.set("Authorization", `Bearer ${request.bearer}`);
  if (request.dpop) headers.set("DPoP", request.dpop);
  if (request.idempotencyKey) {
    headers.set("Idempotency-Key", request.idempotencyKey);
    headers.set("Idempotency-Attempt", String(attempt + 1));
  }
  if (request.body !== undefined) headers.set("Content-Type", "application/json");
  const limit = AbortSignal.timeout(TIMEOUT);
  const sentAt = Date.now();
  let response: Response;
  try {
    response = await fetch(path, {
      method: request.method ?? "GET", headers, credentials: "omit", cache: request.cache ?? "default",
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
      signal: request.signal ? AbortSignal.any([request.signal, limit]) : limit,
    });
  } catch {
    throw offline();
  }
  if (isFresh(request, response)) learnTime(response, sentAt);
  else await kept.look?.(response, sentAt, path);
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** Looks at the time of an answer that the browser may have kept: only what shows public documents needs that (kept-time.ts). */
export const kept: { look?: (response: Response, sentAt: number, path: string) => Promise<void> } = {};

const isFresh = (request: Request, response: Response): boolean =>
  (request.method ?? "GET") !== "GET" || request.cache === "no-cache" || !/max-age/.test(response.headers.get("Cache-Control") ?? "");

/**
 * The Date header says what time it was at the server when the answer was made, and Age how long caches on the way have
 * kept it since. The browser's own cache does not say, so what it may keep teaches nothing.
 */
export function learnTime(response: Response, sentAt: number): void {
  const date = Date.parse(response.headers.get("Date") ?? ""), age = Number(response.headers.get("Age") ?? 0);
  clock.learn(date + age * 1000, sentAt, response.headers.has("Age") ? 2000 : 1000);
}

/** Sends a request and answers its JSON. An exact serverTime in it sets the clock. */
export async function json<T>(path: string, request: Request = {}): Promise<T> {
  const sentAt = Date.now();
  const response = await send(path, request);
  if (response.status === 204) return undefined as T;
  try {
    const value = (await response.json()) as T & { serverTime?: string };
    if (value && typeof value.serverTime === "string") clock.learn(Date.parse(value.serverTime), sentAt, 0);
    return value;
  } catch {
    throw offline(); // the connection broke in the middle of the body
  }
}

/** An answer that is not what was asked for: the API's problem document, or our own code for a request that got no answer. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfter: number; // seconds, 0 without advice
  readonly requestId: string;
  readonly details: Record<string, unknown>;

  constructor(code: string, status: number, body: Record<string, unknown> = {}) {
    super(String(body.detail ?? body.title ?? code));
    this.code = code;
    this.status = status;
    this.retryable = Boolean(body.retryable);
    this.retryAfter = Number(body.retryAfterSeconds) || 0;
    this.requestId = String(body.requestId ?? "");
    this.details = body;
  }
}

/** OFFLINE: no answer at all (no network, blocked, time-out). */
export const offline = (): Problem => new Problem("OFFLINE", 0, { retryable: true });

/** A problem out of an HTTP answer, whatever its body is. */
export async function problemOf(response: Response): Promise<Problem> {
  let body: Record<string, unknown> = {};
  try {
    body = (await response.json()) as Record<string, unknown>;
  } catch {
    // a proxy's HTML page: the status has to do
  }
  const header = Number(response.headers.get("Retry-After"));
  if (header > 0 && !body.retryAfterSeconds) body.retryAfterSeconds = header;
  const code = typeof body.code === "string" ? body.code : response.status >= 500 ? "INTERNAL" : "INVALID";
  return new Problem(code, response.status, body);
}

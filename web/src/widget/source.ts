import type { EventDetail } from "../api/types.ts";
import { clock } from "../base/clock.ts";
import { Missing } from "./missing.ts";

const TIMEOUT = 15_000; // ms
const PAUSES = [400, 1500]; // ms before a second and a third try

/** Reads public documents of our origin from a partner's page, without cookies. */
export class Source {
  readonly origin: string;
  readonly #stop: AbortSignal;
  #forbidden = ""; // the directive of the page's policy that is in our way

  constructor(origin: string, stop: AbortSignal) {
    this.origin = origin;
    this.#stop = stop;
    document.addEventListener("securitypolicyviolation", (e) => {
      if (e.blockedURI.startsWith(origin)) this.#forbidden = e.effectiveDirective;
    }, { signal: stop });
  }

  /** An event's public document. */
  async event(id: string): Promise<EventDetail> {
    return (await this.get(`/v1/events/${encodeURIComponent(id)}`)).json() as Promise<EventDetail>;
  }

  /** Throws Missing. */
  async get(path: string, Accept = "application/json"): Promise<Response> {
    const url = new URL(path, this.origin).href;
    for (let tries = 0; ; tries++) {
      const sentAt = Date.now(), last = tries === PAUSES.length;
      try {
        const answer = await fetch(url, { headers: { Accept }, credentials: "omit", signal: AbortSignal.any([this.#stop, AbortSignal.timeout(TIMEOUT)]) });
        const { ok, status, headers } = answer;
        if (ok) {
          if (!/max-age/.test(headers.get("Cache-Control") ?? "")) clock.learn(Date.parse(headers.get("Date") ?? ""), sentAt, 1000);
          return answer;
        }
        if (last || status < 500 && status !== 429) throw new Missing(status === 404 || status === 400 ? "UNKNOWN_EVENT" : "BUSY", `${url}: ${status}`);
      } catch (error) {
        if (error instanceof Missing || this.#stop.aborted) throw error;
        if (this.#forbidden) throw new Missing("POLICY", `${this.#forbidden}: ${url}`);
        if (last) throw new Missing("UNREACHABLE", `${url}: no answer`);
      }
      await new Promise((done) => setTimeout(done, PAUSES[tries]));
    }
  }
}

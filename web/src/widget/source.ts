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
  event(id: string): Promise<EventDetail> {
    return this.#json(`/v1/events/${encodeURIComponent(id)}`);
  }

  /** A file as bytes. */
  async bytes(path: string): Promise<ArrayBuffer> {
    return (await this.#get(path, "application/octet-stream")).arrayBuffer();
  }

  async #json<T>(path: string): Promise<T> {
    return (await this.#get(path, "application/json")).json() as Promise<T>;
  }

  async #get(path: string, accept: string): Promise<Response> {
    const url = new URL(path, this.origin).href;
    for (let tries = 0; ; tries++) {
      const sentAt = Date.now();
      try {
        const answer = await fetch(url, {
          headers: { Accept: accept }, credentials: "omit", signal: AbortSignal.any([this.#stop, AbortSignal.timeout(TIMEOUT)]),
        });
        if (answer.ok) {
          if (!/max-age/.test(answer.headers.get("Cache-Control") ?? "")) clock.learn(Date.parse(answer.headers.get("Date") ?? ""), sentAt, 1000);
          return answer;
        }
        if (answer.status === 404 || answer.status === 400) throw new Missing("UNKNOWN_EVENT", `${url}: ${answer.status}`);
        if (answer.status < 500 && answer.status !== 429 || tries === PAUSES.length) throw new Missing("BUSY", `${url}: ${answer.status}`);
      } catch (error) {
        if (error instanceof Missing || this.#stop.aborted) throw error;
        if (this.#forbidden !== "") throw new Missing("POLICY", `The page's Content-Security-Policy forbids ${url}: add ${this.origin} to ${this.#forbidden}`);
        if (tries === PAUSES.length) throw await this.#why(path, url);
      }
      await new Promise((done) => setTimeout(done, PAUSES[tries]));
    }
  }

  /** No answer may mean that this page's origin is not on the event's list: the list can be read from everywhere. */
  async #why(path: string, url: string): Promise<Missing> {
    const event = /\/v1\/events\/[^/]+/.exec(path)?.[0];
    const answer = event && (await fetch(`${this.origin}${event}/embed`, { credentials: "omit", signal: this.#stop }).catch(() => null));
    if (answer && answer.ok) {
      const { origins } = (await answer.json()) as { origins?: string[] };
      if (!origins?.includes(location.origin)) return new Missing("NOT_ALLOWED", `${location.origin} is not among the origins that may show this event`);
    }
    return new Missing("UNREACHABLE", `${url}: no answer`);
  }
}

import { json, send } from "../api/client.ts";
import { Problem } from "../api/problem.ts";
import { clock } from "../base/clock.ts";
import { type LineDocument, newer, readDocument } from "../room/document.ts";
import { type Keys, keysOf, type Statement } from "../room/statement.ts";

const KEYS_AGAIN = 60_000; // ms between two requests for the keys, whatever documents say

/** What a look brought. */
export type Look = "new" | "same" | "none" | "failed";

/** Where the page gets the frontier document from: it keeps the newest that it could verify. */
export class Source {
  readonly #event: string;
  #keys: Keys = new Map();
  #keysAt = -Infinity;
  document: LineDocument | null = null;
  /** When the last look succeeded, ms of the server's clock; 0: never. */
  seenAt = 0;
  failures = 0;

  constructor(event: string) {
    this.#event = event;
  }

  /** Asks once. A document that is older than the one at hand, or not good, changes nothing. */
  async look(): Promise<Look> {
    try {
      const found = await this.#read();
      this.failures = 0;
      this.seenAt = clock.now();
      if (!found || !newer(found, this.document)) return found ? "same" : "none";
      this.document = found;
      return "new";
    } catch (error) {
      if (error instanceof Problem && error.code === "NOT_FOUND") {
        this.failures = 0;
        this.seenAt = clock.now();
        return "none";
      }
      this.failures++;
      return "failed";
    }
  }

  async #read(): Promise<LineDocument> {
    const path = `/v1/events/${encodeURIComponent(this.#event)}/frontier`;
    const [answer] = await Promise.all([send(path, { cache: "no-cache", again: false }), this.#keys.size === 0 && this.#learnKeys()]);
    const statement = (await answer.json()) as Statement;
    let found = await readDocument(this.#keys, statement);
    if (!found && performance.now() - this.#keysAt > KEYS_AGAIN) { // maybe signed with a key that is newer than ours
      await this.#learnKeys();
      found = await readDocument(this.#keys, statement);
    }
    if (!found || found.event !== this.#event) throw new Error("not a document of this event that can be verified");
    return found;
  }

  async #learnKeys(): Promise<void> {
    this.#keysAt = performance.now();
    this.#keys = await keysOf(await json("/.well-known/jwks.json", { again: false }));
  }
}

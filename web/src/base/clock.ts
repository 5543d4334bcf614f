/**
 * The server's clock as seen from here. A phone's clock may be minutes off, so deadlines are compared with the server's
 * time: learnt from `serverTime` fields (exact) or the Date and Age headers (a second coarse each), the sample with the
 * shortest round trip winning. Samples age, so that a clock changed by hand or a sleep is corrected by the next answer.
 */
export class ServerClock {
  #offset = 0;
  #error = Infinity;
  #at = 0;
  readonly #local: () => number;

  constructor(local: () => number = Date.now) {
    this.#local = local;
  }

  /** Server time now, in ms since 1970. */
  now(): number {
    return this.#local() + this.#offset;
  }

  /** Learns from an answer whose request left at sentAt (local ms). The server's time was cut: the true one is up to width ms later. */
  learn(serverTime: number, sentAt: number, width: number): void {
    const receivedAt = this.#local();
    if (!Number.isFinite(serverTime) || receivedAt < sentAt) return;
    const middle = serverTime + width / 2;
    const offset = middle - (sentAt + receivedAt) / 2;
    const error = (receivedAt - sentAt) / 2 + width / 2;
    const contradicts = Math.abs(offset - this.#offset) > error + this.#error + 50;
    if (error > this.#aged(receivedAt) && !contradicts) return;
    this.#offset = offset;
    this.#error = error;
    this.#at = receivedAt;
  }

  /** The error the current sample has by now: crystals drift, so an old sample loses to a fresh one in minutes. */
  #aged(at: number): number {
    return this.#error + Math.max(0, at - this.#at) / 200;
  }
}

export const clock = new ServerClock();

/** About that many ms: not everybody at once. */
export const about = (ms: number): number => ms * (0.75 + Math.random() / 2);

/** Does something in about that many ms, or as soon as what this answers is called. */
export function soon(ms: number, run: () => void): () => void {
  const now = (): void => {
    clearTimeout(timer);
    run();
  };
  const timer = setTimeout(now, about(ms));
  return now;
}

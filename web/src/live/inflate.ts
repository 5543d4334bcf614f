import { decodeFrame } from "./wire.ts";

type Bytes = ArrayBuffer | Uint8Array<ArrayBuffer>;
/** What comes of a connection: messages (null: one that is no frame), and its end. */
export interface Line {
  message(message: Bytes | null): void;
  end(then: () => void): void;
}

/** Whether this browser can, which the hello says. */
export const INFLATES = inflates();

function inflates(): boolean {
  try {
    return new DecompressionStream("deflate-raw") !== undefined;
  } catch {
    return false;
  }
}

/**
 * Passes messages on in the order in which they came, a deflated snapshot as the plain one: what follows it, the end too,
 * waits until it is inflated. One that does not inflate to what it says is passed on as null.
 */
export function inOrder(take: (message: Bytes | null) => void): Line {
  let waiting = 0;
  let before: Promise<unknown> = Promise.resolve();
  const later = <T>(what: T | Promise<T>, then: (what: T) => void): void => {
    waiting++;
    before = Promise.all([what, before]).then(([ready]) => {
      waiting--;
      then(ready);
    });
  };
  return {
    message(message) {
      if (message && new Uint8Array(message)[0] === 0x1d) later<Bytes | null>(inflated(message).catch(() => null), take);
      else if (waiting > 0) later(message, take);
      else take(message);
    },
    end(then) {
      if (waiting > 0) later(null, then);
      else then();
    },
  };
}

/** The plain message of a deflated snapshot. Throws when it is none. */
async function inflated(message: Bytes): Promise<Uint8Array<ArrayBuffer>> {
  const frame = decodeFrame(message);
  if (frame.kind !== "deflated") throw new Error("not deflated");
  const plain = new Uint8Array(1 + frame.head.length + frame.size);
  plain[0] = 0x18;
  plain.set(frame.head, 1);
  let at = 1 + frame.head.length;
  const reader = new Blob([Uint8Array.from(frame.packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > plain.length) {
      void reader.cancel().catch(() => {});
      throw new Error("longer than it says");
    }
    plain.set(value, at);
    at += value.length;
  }
  if (at < plain.length) throw new Error("shorter than it says");
  return plain;
}

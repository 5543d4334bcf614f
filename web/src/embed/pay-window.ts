import { type HandOver, handOver, readHandOver, readReady, ready } from "./hand-over.ts";

/** A window as its opener, or the one it opened, sees it. */
export type Other = Pick<Window, "postMessage" | "close">;

/** What either side needs of its own window; tests give their own. */
export interface Here {
  readonly origin: string;
  addEventListener(type: "message", heard: (e: MessageEvent) => void): void;
  removeEventListener(type: "message", heard: (e: MessageEvent) => void): void;
}

/** The opener's side of a payment's window: it answers that window, at our own origin, and nobody else. */
export class PayWindow {
  readonly #window: Other;
  readonly #here: Here;
  #handed: HandOver | null = null;
  #nonce = "";

  constructor(opened: Other, here: Here) {
    this.#window = opened;
    this.#here = here;
    here.addEventListener("message", this.#heard);
  }

  /** Gives what is needed to pay, as soon as the window asks; when it is loaded again, once more. */
  give(handed: HandOver): void {
    this.#handed = handed;
    this.#send();
  }

  /** Another window is opened, or none is needed: this one gets nothing any more. */
  forget(): void {
    this.#here.removeEventListener("message", this.#heard);
  }

  /** There is nothing to pay. */
  close(): void {
    this.forget();
    this.#window.close();
  }

  readonly #heard = (e: MessageEvent): void => {
    if (e.source !== this.#window || e.origin !== this.#here.origin) return;
    const nonce = readReady(e.data);
    if (nonce === null) return;
    this.#nonce = nonce;
    this.#send();
  };

  #send(): void {
    if (!this.#handed || !this.#nonce) return;
    this.#window.postMessage(handOver(this.#nonce, this.#handed), this.#here.origin);
    this.#nonce = ""; // each question is answered once
  }
}

/**
 * The window's own side: asks its opener, and takes the one answer to this very question from the opener at our own origin.
 * null: none has come in time.
 */
export function receive(opener: Other, here: Here, nonce: string, timeout: Promise<unknown>): Promise<HandOver | null> {
  return new Promise((resolve) => {
    const end = (handed: HandOver | null): void => {
      here.removeEventListener("message", heard);
      resolve(handed);
    };
    const heard = (e: MessageEvent): void => {
      if (e.source !== opener || e.origin !== here.origin) return;
      const handed = readHandOver(e.data, nonce);
      if (handed) end(handed);
    };
    here.addEventListener("message", heard);
    opener.postMessage(ready(nonce), here.origin);
    void timeout.then(() => end(null));
  });
}

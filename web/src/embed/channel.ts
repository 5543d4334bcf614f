import { PROTOCOL, readConnect, readToFrame, type ToFrame, type ToHost } from "./protocol.ts";

const AGAIN = [500, 1500, 4000, 10_000]; // ms until who may connect is asked again

/** What the frame's side needs of its window; tests give their own. */
export interface Around {
  /** The window that holds the frame; null: there is none. */
  readonly parent: MessageEventSource | null;
  addEventListener(type: "message", heard: (e: MessageEvent) => void): void;
  removeEventListener(type: "message", heard: (e: MessageEvent) => void): void;
  wait(ms: number): Promise<unknown>;
}

export interface ChannelEvents {
  heard(message: ToFrame): void;
  /** Origins of pages that may show this event; fresh: nothing that was kept. */
  origins(fresh: boolean): Promise<readonly string[]>;
  /** For a host of a version that is newer than ours. */
  tooNew: string;
}

/**
 * The frame's end of the line to the partner's page. Who may connect is the window that holds the frame, at an origin that
 * the event's list has, once; whoever else sends something to this window is not heard. Until then the newest word of each
 * kind waits.
 */
export class FrameChannel {
  readonly #around: Around;
  readonly #events: ChannelEvents;
  #port: MessagePort | null = null;
  #deciding = false;
  #waiting = new Map<string, ToHost>();

  constructor(around: Around, events: ChannelEvents) {
    this.#around = around;
    this.#events = events;
    if (around.parent) around.addEventListener("message", this.#asked);
  }

  /** Tells the host. What is said twice before anybody listens is said once. */
  tell(message: ToHost): void {
    if (this.#port) this.#port.postMessage(message);
    else this.#waiting.set(message.type, message);
  }

  readonly #asked = (e: MessageEvent): void => {
    const version = readConnect(e.data), [port] = e.ports;
    if (e.source !== this.#around.parent || version === null || !port || e.ports.length > 1 || this.#port || this.#deciding) return;
    this.#deciding = true;
    void this.#decide(e.origin, port, version).catch(() => {}).then(() => (this.#deciding = false));
  };

  async #decide(origin: string, port: MessagePort, version: number): Promise<void> {
    if (!(await this.#allowed(origin))) return port.close();
    if (version > PROTOCOL) return port.postMessage({ type: "error", code: "VERSION", text: this.#events.tooNew } satisfies ToHost);
    this.#around.removeEventListener("message", this.#asked);
    this.#port = port;
    port.onmessage = ({ data }) => {
      const message = readToFrame(data);
      if (message) this.#events.heard(message);
    };
    this.tell({ type: "ready", protocol: PROTOCOL });
    for (const message of this.#waiting.values()) this.tell(message);
    this.#waiting.clear();
  }

  /** A list that a cache has kept may be older than the page's own permission: it is asked for again before the answer is no. */
  async #allowed(origin: string): Promise<boolean> {
    for (const pause of AGAIN) {
      try {
        return (await this.#events.origins(false)).includes(origin) || (await this.#events.origins(true)).includes(origin);
      } catch {
        await this.#around.wait(pause);
      }
    }
    return false;
  }
}

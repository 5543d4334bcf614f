import { connect, PROTOCOL, readToHost, type ToFrame, type ToHost } from "../embed/protocol.ts";

const PATIENCE = 30_000; // ms from the making of a frame to its first word

export interface LinkEvents {
  heard(message: ToHost): void;
  /** The frame is there and has got what waited for it; again after each of its loads. */
  ready(): void;
  /** It did not come, or is of a kind we do not know. */
  failed(why: string): void;
}

/**
 * The private line to one of our frames. At each load of the frame one message goes to its window, for our exact origin,
 * with a port; all else goes over the port. What is said before the frame is ready waits. Nothing else is listened to.
 */
export class FrameLink {
  readonly #frame: HTMLIFrameElement;
  readonly #origin: string;
  readonly #events: LinkEvents;
  readonly #timer: ReturnType<typeof setTimeout>;
  #port: MessagePort | null = null;
  #ready = false;
  #waiting: ToFrame[] = [];

  constructor(frame: HTMLIFrameElement, origin: string, events: LinkEvents) {
    this.#frame = frame;
    this.#origin = origin;
    this.#events = events;
    this.#timer = setTimeout(() => events.failed(`${frame.src} did not answer`), PATIENCE);
    frame.addEventListener("load", this.#connect);
  }

  /** Says something now, or once the frame is ready. */
  send(message: ToFrame): void {
    if (this.#ready) this.#port!.postMessage(message);
    else this.#waiting = [...this.#waiting.filter((m) => m.type !== message.type), message];
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#frame.removeEventListener("load", this.#connect);
    this.#port?.close();
    this.#port = null;
    this.#ready = false;
  }

  readonly #connect = (): void => {
    this.#port?.close();
    this.#ready = false;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = (e) => {
      const message = readToHost(e.data);
      if (message?.type === "ready") this.#welcome(message.protocol);
      else if (message) this.#events.heard(message);
    };
    this.#frame.contentWindow?.postMessage(connect, this.#origin, [port2]);
  };

  #welcome(protocol: number): void {
    clearTimeout(this.#timer);
    if (protocol > PROTOCOL) return this.#events.failed(`the frame speaks version ${protocol}, this page ${PROTOCOL}: load the page again`);
    this.#ready = true;
    for (const message of this.#waiting.splice(0)) this.#port!.postMessage(message);
    this.#events.ready();
  }
}

/** A frame of our origin for a partner's page. */
export function ourFrame(origin: string, path: string, language: string, title: string): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.title = title;
  frame.allow = "clipboard-write; geolocation 'none'; camera 'none'; microphone 'none'";
  frame.referrerPolicy = "origin";
  frame.src = `${origin}${path}?lang=${language}`;
  return frame;
}

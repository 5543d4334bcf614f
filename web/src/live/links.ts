import type { Surroundings } from "./surroundings.ts";
import { SUBPROTOCOL, encodeHello, encodeView, type Position, type View } from "./wire.ts";

/** How frames come: over a WebSocket, or over server-sent events where a network lets no WebSocket through. */
export type Way = "socket" | "events";

export const OPEN_WAIT = 10_000; // ms from opening a link to its first frame

/** inflates: this browser can, so that snapshots may come deflated. */
export interface Greeting { token: string; resume: Position | null; view: View; inflates: boolean }

/** Why a stream did not begin: the token is refused, or the gateway names the ms to wait. */
export interface Refusal { token: boolean; wait: number }

export interface LinkEvents {
  /** Asked once, when the link can say it. */
  hello(): Greeting;
  /** null: what came is no frame. */
  frame(bytes: ArrayBuffer | Uint8Array<ArrayBuffer> | null): void;
  /** It broke, ended, or did not begin. */
  over(refusal?: Refusal): void;
}

/** One connection to a gateway. After close nothing more comes of it. */
export interface Link {
  readonly way: Way;
  /** The hello is still to come. */
  readonly opening: boolean;
  /** Asks for another view; false when only another link can. */
  view(view: View): boolean;
  close(): void;
}

/** A WebSocket. Throws when a policy forbids it. */
export function socketLink(at: Surroundings, url: string, event: string, events: LinkEvents): Link {
  const socket = at.socket(url, SUBPROTOCOL);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    const { resume, ...hello } = events.hello();
    socket.send(encodeHello({ ...hello, event, resume: resume ?? undefined }));
  };
  socket.onmessage = (e) => events.frame(e.data instanceof ArrayBuffer ? e.data : null);
  socket.onclose = () => events.over();
  return {
    way: "socket",
    get opening() {
      return socket.readyState === 0;
    },
    view(view) {
      if (socket.readyState === 1) socket.send(encodeView(view));
      return socket.readyState <= 1; // the hello will say it
    },
    close() {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    },
  };
}

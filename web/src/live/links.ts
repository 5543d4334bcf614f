import { INFLATES, inOrder } from "./inflate.ts";
import type { Surroundings } from "./surroundings.ts";
import { SUBPROTOCOL, encodeHello, encodeView, type Position, type View } from "./wire.ts";

/** How frames come: over a WebSocket, or over server-sent events where a network lets no WebSocket through. */
export type Way = "socket" | "events";

export interface Greeting { token: string; resume: Position | null; view: View }

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
  const socket = at.socket(url, SUBPROTOCOL), line = inOrder(events.frame);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    const { token, resume, view } = events.hello();
    socket.send(encodeHello({ event, token, resume: resume ?? undefined, inflates: INFLATES, view }));
  };
  socket.onmessage = (e) => line.message(e.data instanceof ArrayBuffer ? e.data : null);
  socket.onclose = () => line.end(() => events.over());
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

/** A stream of events, read by fetch: the browser's own client cannot send a token but in the address. */
export function eventLink(at: Surroundings, url: string, events: LinkEvents): Link {
  const stop = new AbortController(), line = inOrder(events.frame);
  const { token, resume, view } = events.hello();
  const headers: Record<string, string> = { Accept: "text/event-stream" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (resume) headers["Last-Event-ID"] = [resume.event, resume.stream, resume.offset].join(".");
  const address = `${url.replace(/^ws/, "http")}?view=${typeof view === "string" ? view : view.join(".")}${INFLATES ? "&deflate=1" : ""}`;
  const follow = async (): Promise<Refusal | undefined> => {
    const answer = await at.fetch(address, { headers, signal: stop.signal, cache: "no-store" });
    if (!answer.ok || !answer.body || !/^text\/event-stream/i.test(answer.headers.get("Content-Type") ?? "")) return refusal(answer);
    for await (const data of eventData(answer.body)) {
      if (stop.signal.aborted) return;
      line.message(fromBase64(data));
    }
  };
  follow().catch(() => undefined).then((why) => line.end(() => stop.signal.aborted || events.over(why)));
  return { way: "events", opening: false, view: () => false, close: () => stop.abort() };
}

function refusal(answer: Response): Refusal {
  void answer.body?.cancel();
  const seconds = Number(answer.headers.get("Retry-After"));
  return { token: answer.status === 401, wait: seconds > 0 ? Math.min(seconds, 300) * 1000 : 0 };
}

const LONGEST = 4_000_000; // characters of one event: twice the greatest snapshot

/** The data of each event of a stream. Ends with the stream; throws when it breaks or an event is too long. */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader(), text = new TextDecoder();
  let rest = "", data = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + text.decode(value, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines.map((l) => l.replace(/\r$/, ""))) {
        if (line.startsWith("data:")) data += line.slice(5).trimStart();
        if (line !== "" || data === "") continue;
        yield data;
        data = "";
      }
      if (rest.length + data.length > LONGEST) throw new Error("event too long");
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

function fromBase64(data: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

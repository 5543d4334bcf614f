import type { Link, LinkEvents, Refusal } from "./links.ts";
import type { Surroundings } from "./surroundings.ts";

/** A stream of events, read by fetch: the browser's own client cannot send a token but in the address. */
export function eventLink(at: Surroundings, url: string, events: LinkEvents): Link {
  const stop = new AbortController(), { token, resume, view, inflates } = events.hello();
  const headers: Record<string, string> = { Accept: "text/event-stream" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (resume) headers["Last-Event-ID"] = [resume.event, resume.stream, resume.offset].join(".");
  const address = `${url.replace(/^ws/, "http")}?view=${typeof view === "string" ? view : view.join(".")}${inflates ? "&deflate=1" : ""}`;
  const follow = async (): Promise<Refusal | undefined> => {
    const answer = await at.fetch(address, { headers, signal: stop.signal, cache: "no-store" });
    if (!answer.ok || !answer.body || !/^text\/event-stream/i.test(answer.headers.get("Content-Type") ?? "")) return refusal(answer);
    for await (const data of eventData(answer.body)) {
      if (stop.signal.aborted) return;
      events.frame(fromBase64(data));
    }
  };
  follow().catch(() => undefined).then((why) => stop.signal.aborted || events.over(why));
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

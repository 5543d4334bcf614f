import { fetchAvailability } from "./availability.ts";
import { browserSurroundings, type Surroundings, type Timer } from "./surroundings.ts";
import { applyFrame, emptyMap, forgetPosition, replaceAll, type LiveMap } from "./live-map.ts";
import { BYE, SUBPROTOCOL, WireError, decodeFrame, encodeHello, encodeView, type Bye, type Delta, type Frame, type View } from "./wire.ts";

/** What the page can say: live and polling are true maps, the others may be old. */
export type LiveState = "connecting" | "live" | "reconnecting" | "polling" | "offline";

export interface LiveOptions {
  /** ws(s)://…/v1/events/{id}/live; a path is taken from the page's own origin. */
  url: string;
  event: string;
  /** Access token, or how to get the present one; empty while there is none. */
  token?: string | (() => string);
  view?: View;
  /** Seats of the chart, for polling. */
  seats?: number;
  /** The availability document; without it there is no fallback. */
  pollUrl?: string;
  /** The seats of `ranges` are new; `statuses` is the whole map, one byte a seat, and the same array from call to call unless the chart changes. */
  onSnapshot(statuses: Uint8Array, ranges: readonly [number, number][]): void;
  /** Some seats have changed. `at` is the oldest change's commit time in Unix ms, 0 when not known. */
  onDelta(ordinals: Uint32Array, statuses: Uint8Array, at: number): void;
  /** Free seats by section index. */
  onSummary?(free: number[]): void;
  onNotice?(notice: number, body: unknown): void;
  onState?(state: LiveState): void;
  /** The gateway ended the connection for a reason that trying again cannot help (see BYE). */
  onRefused?(bye: Bye): void;
  surroundings?: Surroundings;
}

type TimerName = "retry" | "silence" | "gap" | "hidden" | "poll" | "calm";

const SILENCE = 75_000; // ms without a frame: the connection is dead
const GAP_WAIT = 1_000; // ms for a missing delta to arrive
const HIDDEN_KEEP = 300_000; // ms a hidden page keeps its connection
const FIRST_WAIT = 500;
const LAST_WAIT = 30_000;
const FALL_AFTER = 2; // failures in a row before polling starts
const POLL_EVERY = 3_000;
const OPEN_WAIT = 10_000; // ms from opening to the first frame

/**
 * Keeps a map true over a WebSocket that may break at any time: it resumes by position, asks for a snapshot when
 * something was missed, never gives up while the page is visible, polls while the socket does not work, and moves
 * up again by itself.
 */
export class LiveConnection {
  readonly #o: LiveOptions;
  readonly #at: Surroundings;
  readonly #map: LiveMap = emptyMap();
  readonly #unwatch: () => void;
  #view: View;
  #mapView: View | null = null; // of what is shown: a position counts for its view only
  #socket: WebSocket | null = null;
  #state: LiveState | null = null;
  #failures = 0;
  #heard = false; // a frame came on this socket
  #heardAt = 0;
  #awaited = 0; // snapshots asked for on this socket
  #resyncs = 0; // in a row, without a calm half minute between
  #refusedToken = "";
  #final = false; // the gateway does not want us: polling is all there is
  #closed = false;
  #poller: AbortController | null = null;
  #timers: Partial<Record<TimerName, Timer>> = {};

  constructor(options: LiveOptions) {
    this.#o = options;
    this.#at = options.surroundings ?? browserSurroundings();
    this.#view = options.view ?? "whole";
    this.#unwatch = this.#at.watch(() => this.#surroundingsChanged());
    this.#say("connecting");
    this.#open();
  }

  /** Looks at some sections (ascending indexes), or at everything. */
  setView(sections: readonly number[] | null): void {
    this.look(sections ?? "whole");
  }

  /** Like setView, with the overview too. */
  look(view: View): void {
    this.#view = view;
    this.#mapView = null;
    if (this.#socket?.readyState !== 1) return; // the hello will say it
    this.#awaited += view === "overview" ? 0 : 1;
    this.#socket.send(encodeView(view));
  }

  /** The access token is another one: reconnects with it, unless the hello that says it is still to come. */
  tokenChanged(): void {
    this.#final = false;
    if (this.#socket?.readyState === 0) return;
    this.#reopen();
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
    this.#drop();
    this.#stopPolling();
    for (const name of Object.keys(this.#timers) as TimerName[]) this.#stop(name);
  }

  #say(state: LiveState): void {
    if (state === this.#state || this.#closed) return;
    this.#state = state;
    this.#o.onState?.(state);
  }

  #start(name: TimerName, ms: number, then: () => void): void {
    this.#stop(name);
    this.#timers[name] = this.#at.setTimeout(() => {
      delete this.#timers[name];
      then();
    }, ms);
  }

  #stop(name: TimerName): void {
    const timer = this.#timers[name];
    if (timer !== undefined) this.#at.clearTimeout(timer);
    delete this.#timers[name];
  }

  #token(): string {
    const token = typeof this.#o.token === "function" ? this.#o.token() : (this.#o.token ?? "");
    return token === this.#refusedToken ? "" : token;
  }

  #open(): void {
    if (this.#closed || this.#final) return;
    this.#stop("retry");
    let socket: WebSocket;
    try {
      socket = this.#at.socket(this.#o.url, SUBPROTOCOL);
    } catch {
      return this.#failed(); // a policy forbids it
    }
    this.#socket = socket;
    this.#heard = false;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#hello(socket);
    socket.onmessage = (e) => {
      if (socket === this.#socket) this.#message(e.data);
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#failed();
    };
    this.#start("silence", OPEN_WAIT, () => this.#failed());
  }

  #hello(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    const resume = this.#mapView === this.#view ? this.#map.position : null;
    if (!resume) forgetPosition(this.#map);
    this.#awaited = resume || this.#view === "overview" ? 0 : 1;
    socket.send(encodeHello({ event: this.#o.event, token: this.#token(), resume: resume ?? undefined, view: this.#view }));
  }

  #message(data: unknown): void {
    let frame: Frame;
    try {
      if (!(data instanceof ArrayBuffer)) throw new WireError("text");
      frame = decodeFrame(data);
    } catch {
      return this.#resync();
    }
    if (frame.kind === "bye") return this.#bye(frame);
    this.#heard = true;
    this.#heardAt = this.#at.now();
    this.#failures = 0;
    this.#start("silence", SILENCE, () => this.#failed());
    this.#stopPolling();
    this.#show(frame);
    this.#say("live");
  }

  #show(frame: Frame): void {
    if (frame.kind === "summary") this.#o.onSummary?.(frame.free);
    if (frame.kind === "notice") this.#o.onNotice?.(frame.notice, frame.body);
    const applied = applyFrame(this.#map, frame);
    if (applied.snapshot) {
      this.#awaited = Math.max(0, this.#awaited - 1);
      if (this.#awaited === 0) this.#mapView = this.#view;
      this.#o.onSnapshot(this.#map.statuses, this.#map.ranges);
    }
    applied.deltas.forEach((d) => this.#delta(d));
    if (!applied.gap) this.#stop("gap");
    else if (this.#timers.gap === undefined) this.#start("gap", GAP_WAIT, () => this.#resync());
  }

  #delta(d: Delta): void {
    if (d.ordinals.length > 0) this.#o.onDelta(d.ordinals, d.statuses, d.at);
  }

  /** Something was missed or not understood: start over with a snapshot, soon but not all at once. */
  #resync(): void {
    forgetPosition(this.#map);
    this.#drop();
    this.#say("reconnecting");
    const most = Math.min(LAST_WAIT, 1_000 * 2 ** Math.min(this.#resyncs++, 5));
    this.#start("calm", LAST_WAIT, () => (this.#resyncs = 0));
    this.#start("retry", 200 + this.#at.random() * most, () => this.#open());
  }

  #bye(bye: Bye): void {
    const wait = bye.after + this.#at.random() * bye.spread;
    switch (bye.code) {
      case BYE.drain: // it still serves us until we go
        this.#start("retry", wait, () => this.#reopen());
        return;
      case BYE.unknownEvent:
      case BYE.version:
      case BYE.notAllowed:
        this.#final = true;
        this.#drop();
        this.#o.onRefused?.(bye);
        this.#startPolling();
        return;
      case BYE.token:
        this.#refusedToken = this.#token() || this.#refusedToken;
        break;
      case BYE.noSection:
        this.#view = "whole";
        break;
      case BYE.resync:
        forgetPosition(this.#map);
        break;
    }
    if (!this.#heard) this.#failures++;
    this.#drop();
    this.#later(wait);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#stop("silence");
    this.#stop("gap");
    socket?.close();
  }

  #reopen(): void {
    this.#drop();
    this.#open();
  }

  /** The socket broke, was silent or did not open. */
  #failed(): void {
    this.#drop();
    if (!this.#heard) this.#failures++;
    else this.#failures = 0;
    this.#heard = false;
    const most = Math.min(LAST_WAIT, FIRST_WAIT * 2 ** Math.min(this.#failures, 10));
    this.#later(most * (0.5 + this.#at.random() / 2));
  }

  #later(wait: number): void {
    if (this.#closed) return;
    if (this.#state !== "polling" && this.#state !== "offline") this.#say("reconnecting");
    if (this.#failures >= FALL_AFTER) this.#startPolling();
    if (this.#at.hidden()) return; // it goes on when the page is looked at again
    this.#start("retry", wait, () => this.#open());
  }

  #surroundingsChanged(): void {
    if (this.#closed) return;
    if (this.#at.hidden()) {
      this.#stopPolling();
      this.#start("hidden", HIDDEN_KEEP, () => this.#drop());
      return;
    }
    this.#stop("hidden");
    if (!this.#at.online()) return this.#say("offline");
    if (this.#failures >= FALL_AFTER || this.#final) this.#startPolling();
    if (this.#socket === null) this.#open();
    else if (this.#state === "offline" || this.#asleep()) this.#reopen(); // the old socket may hang for minutes
  }

  /** Timers do not run while a phone sleeps: nothing was heard for longer than the gateway is ever silent. */
  #asleep(): boolean {
    return this.#heard && this.#at.now() - this.#heardAt > SILENCE;
  }

  #startPolling(): void {
    if (this.#poller || !this.#o.pollUrl || this.#closed) return;
    this.#poller = new AbortController();
    void this.#poll(this.#poller, 0);
  }

  #stopPolling(): void {
    this.#poller?.abort();
    this.#poller = null;
    this.#stop("poll");
  }

  async #poll(poller: AbortController, failures: number): Promise<void> {
    let wait = POLL_EVERY;
    try {
      const seen = await fetchAvailability(this.#o.pollUrl!, this.#o.seats ?? 0, this.#at.fetch, poller.signal);
      if (poller !== this.#poller) return;
      failures = 0;
      replaceAll(this.#map, seen.statuses);
      this.#mapView = null;
      this.#o.onSnapshot(this.#map.statuses, this.#map.ranges);
      this.#o.onSummary?.(seen.free);
      this.#say("polling");
    } catch {
      if (poller !== this.#poller) return;
      failures++;
      wait = Math.min(LAST_WAIT, POLL_EVERY * 2 ** Math.min(failures, 4));
      this.#say("offline");
    }
    this.#start("poll", wait * (0.85 + this.#at.random() * 0.3), () => void this.#poll(poller, failures));
  }
}

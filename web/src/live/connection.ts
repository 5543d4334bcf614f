import { watchSleep } from "./asleep.ts";
import type { Availability } from "./availability.ts";
import { INFLATES, inOrder } from "./inflate.ts";
import { OPEN_WAIT, socketLink, type Greeting, type Link, type LinkEvents, type Refusal, type Way } from "./links.ts";
import { applyFrame, emptyMap, forgetPosition, replaceAll, type LiveMap } from "./live-map.ts";
import type { LiveOptions, LiveState } from "./options.ts";
import type { Riser, Trial } from "./rise.ts";
import { Standby } from "./standby.ts";
import { browserSurroundings, type Surroundings } from "./surroundings.ts";
import { Timers } from "./timers.ts";
import { BYE, decodeFrame, type Bye, type Delta, type Frame, type View } from "./wire.ts";

type TimerName = "retry" | "silence" | "gap" | "hidden" | "calm" | "early" | "up" | "beat";

const SILENCE = 75_000; // ms without a frame: the connection is dead
const GAP_WAIT = 1_000; // ms for a missing delta to arrive
const HIDDEN_KEEP = 300_000; // ms a hidden page keeps its connection
const HIDDEN_EVENTS = 10_000; // … of events: browsers allow six connections of that kind to a host, for all tabs together
const FIRST_WAIT = 500;
const LAST_WAIT = 30_000;
const FALL_AFTER = 2; // failures in a row before the page moves down
const EARLY = 4_000; // ms without a first map until it is polled for

/**
 * Keeps a map true over a connection that may break at any time: it resumes by position, asks for a snapshot when
 * something was missed, and never gives up while the page is visible. Where no WebSocket comes through it takes
 * server-sent events, polls while neither works, and moves up again by itself.
 */
export class LiveConnection {
  readonly #o: LiveOptions;
  readonly #at: Surroundings;
  readonly #timers: Timers<TimerName>;
  readonly #standby: Standby;
  readonly #map: LiveMap = emptyMap();
  readonly #unwatch: () => void;
  #view: View;
  #mapView: View | null = null; // of what is shown: a position counts for its view only
  #link: Link | null = null;
  #riser: Riser | null = null; // since events have come
  #best: Way;
  #state: LiveState | null = null;
  #stateWay: Way | null = null;
  #failures = 0;
  #heard = false; // a frame came on this link
  #heardAt = 0;
  #asked: View | null = null; // on this link, last
  #awaits = false; // the snapshot of that
  #resuming = false; // a position was sent and nothing has come yet
  #resyncs = 0; // in a row, without a calm half minute between
  #refusedToken = "";
  #final = false; // the gateway does not want us: polling is all there is
  #closed = false;

  constructor(options: LiveOptions) {
    this.#o = options;
    this.#at = options.surroundings ?? browserSurroundings();
    this.#timers = new Timers(this.#at);
    this.#view = options.view ?? "whole";
    this.#best = options.first ?? "socket";
    this.#standby = new Standby(options, this.#at, { seen: (document) => this.#polled(document), failed: () => this.#say("offline") });
    this.#unwatch = this.#at.watch(() => this.#surroundingsChanged());
    this.#say("connecting");
    this.#open();
    this.#beat();
  }

  /** Looks at some sections (ascending indexes), or at everything. */
  setView(sections: readonly number[] | null): void {
    this.look(sections ?? "whole");
  }

  /** Like setView, with the overview too. */
  look(view: View): void {
    this.#view = view;
    this.#mapView = null;
    if (!this.#link) return; // the hello will say it
    this.#riser?.stop();
    if (!this.#awaits || this.#link.way === "events") this.#ask();
  }

  /** One view at a time: the next is asked for when the snapshot of the one before is here, the last of those meanwhile. */
  #ask(): void {
    this.#asked = this.#view;
    this.#awaits = this.#view !== "overview";
    if (!this.#link!.view(this.#view)) this.#reopen();
  }

  /** The access token is another one: reconnects with it, unless the hello that says it is still to come. */
  tokenChanged(): void {
    this.#final = false;
    if (!this.#link?.opening) this.#reopen();
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
    this.#drop();
    this.#standby.stop();
    this.#timers.stopAll();
  }

  #say(state: LiveState): void {
    const way = state === "live" ? (this.#link?.way ?? null) : null;
    if ((state === this.#state && way === this.#stateWay) || this.#closed) return;
    this.#state = state;
    this.#stateWay = way;
    this.#o.onState?.(state, way);
  }

  #token(): string {
    const token = typeof this.#o.token === "function" ? this.#o.token() : (this.#o.token ?? "");
    return token === this.#refusedToken ? "" : token;
  }

  // ---- opening

  #open(): void {
    if (this.#closed || this.#final) return;
    this.#timers.stop("retry");
    this.#heard = false;
    try {
      this.#link = this.#connect(this.#nextWay(), () => this.#hello());
    } catch {
      return this.#failed(); // a policy forbids it
    }
    this.#timers.start("silence", OPEN_WAIT, () => this.#failed());
    if (this.#map.ranges.length === 0 && !this.#at.hidden()) this.#timers.start("early", EARLY, () => this.#standby.start());
  }

  /** What worked last; when it fails again and again, the other one every second time. */
  #nextWay(): Way {
    if (!this.#standby.ways) return "socket";
    if (this.#failures < FALL_AFTER || this.#failures % 2 === 1) return this.#best;
    return this.#best === "socket" ? "events" : "socket";
  }

  #connect(way: Way, hello: () => Greeting, trial?: Trial): Link {
    const line = inOrder((bytes) => {
      if (link === this.#link) this.#message(bytes);
      else trial?.frame(decoded(bytes), bytes);
    });
    const events: LinkEvents = {
      hello,
      frame: (bytes) => line.message(bytes),
      over: (refusal) => line.end(() => {
        if (link === this.#link) this.#failed(refusal);
        else trial?.over();
      }),
    };
    const link = way === "socket" ? socketLink(this.#at, this.#o.url, this.#o.event, events) : this.#standby.ways!.link(this.#at, this.#o.url, events);
    return link;
  }

  #hello(): Greeting {
    const resume = this.#mapView === this.#view ? this.#map.position : null;
    if (!resume) forgetPosition(this.#map);
    this.#resuming = resume !== null;
    this.#asked = this.#view;
    this.#awaits = !resume && this.#view !== "overview";
    return { token: this.#token(), resume, view: this.#view, inflates: INFLATES };
  }

  // ---- what comes

  #message(bytes: ArrayBuffer | Uint8Array | null): void {
    const frame = decoded(bytes);
    if (!frame) return this.#resync();
    if (frame.kind === "bye") return this.#bye(frame);
    if (!this.#heard) this.#first();
    this.#heardAt = this.#at.now();
    this.#timers.start("silence", SILENCE, () => this.#failed());
    this.#show(frame);
    this.#say("live");
  }

  /** The link works. */
  #first(): void {
    this.#heard = true;
    this.#failures = 0;
    this.#resuming = false;
    this.#timers.stop("early");
    this.#standby.stop();
    this.#best = this.#link!.way;
    if (this.#best === "events") this.#rise().later();
    else this.#riser?.arrived();
  }

  /** Moves up again by itself. */
  #rise(): Riser {
    return this.#riser ??= this.#standby.ways!.riser(this.#at, this.#timers, {
      below: () => this.#link?.way === "events" && !this.#at.hidden(),
      steady: () => this.#view === "overview" || this.#mapView === this.#view,
      open: (trial) => this.#connect("socket", () => ({ token: this.#token(), resume: this.#map.position, view: this.#view, inflates: INFLATES }), trial),
      take: (link, bytes) => {
        this.#timers.stop("gap");
        this.#link?.close();
        this.#link = link;
        this.#heard = false;
        this.#message(bytes);
      },
    });
  }

  #show(frame: Frame): void {
    if (frame.kind === "summary") this.#o.onSummary?.(frame.free);
    if (frame.kind === "notice") this.#o.onNotice?.(frame.notice, frame.body);
    const answer = frame.kind === "snapshot" && this.#awaits;
    if (answer) forgetPosition(this.#map); // it counts, also when the view before had come further
    const applied = applyFrame(this.#map, frame);
    if (applied.snapshot) {
      if (this.#asked === this.#view) this.#mapView = this.#view;
      this.#o.onSnapshot(this.#map.statuses, this.#map.ranges);
    }
    applied.deltas.forEach((d) => this.#delta(d));
    if (!applied.gap) this.#timers.stop("gap");
    else if (!this.#timers.runs("gap")) this.#timers.start("gap", GAP_WAIT, () => this.#resync());
    if (answer) this.#awaits = false;
    if (answer && this.#asked !== this.#view) this.#ask();
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
    this.#timers.start("calm", LAST_WAIT, () => (this.#resyncs = 0));
    this.#timers.start("retry", 200 + this.#at.random() * most, () => this.#open());
  }

  #bye(bye: Bye): void {
    const wait = bye.after + this.#at.random() * bye.spread;
    switch (bye.code) {
      case BYE.drain: // it still serves us until we go
        this.#timers.start("retry", wait, () => this.#reopen());
        return;
      case BYE.unknownEvent:
      case BYE.version:
      case BYE.notAllowed:
        this.#final = true;
        this.#drop();
        this.#o.onRefused?.(bye);
        this.#standby.start();
        return;
      case BYE.token:
        this.#refuseToken();
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

  #refuseToken(): void {
    this.#refusedToken = this.#token() || this.#refusedToken;
  }

  // ---- what breaks

  #drop(): void {
    this.#link?.close();
    this.#link = null;
    this.#resuming = false;
    this.#riser?.stop();
    this.#timers.stop("silence", "gap", "early", "up");
  }

  #reopen(): void {
    this.#drop();
    this.#open();
  }

  /** The link broke, was silent or did not open. */
  #failed(refusal?: Refusal): void {
    this.#drop();
    if (refusal?.token) this.#refuseToken();
    if (!this.#heard) this.#failures++;
    else this.#failures = 0;
    this.#heard = false;
    const most = Math.min(LAST_WAIT, FIRST_WAIT * 2 ** Math.min(this.#failures, 10));
    this.#later(Math.max(refusal?.wait ?? 0, most * (0.5 + this.#at.random() / 2)));
  }

  #later(wait: number): void {
    if (this.#closed) return;
    if (this.#state !== "polling" && this.#state !== "offline") this.#say("reconnecting");
    if (this.#failures >= FALL_AFTER) this.#standby.start();
    if (this.#at.hidden()) return; // it goes on when the page is looked at again
    this.#timers.start("retry", wait, () => this.#open());
  }

  // ---- the page and its device

  #surroundingsChanged(): void {
    if (this.#closed) return;
    if (this.#at.hidden()) {
      this.#standby.stop();
      this.#timers.stop("beat");
      if (this.#at.away()) return this.#drop(); // the browser would break it, and say so
      this.#timers.start("hidden", this.#link?.way === "events" ? HIDDEN_EVENTS : HIDDEN_KEEP, () => this.#drop());
      return;
    }
    this.#timers.stop("hidden");
    this.#beat();
    if (!this.#at.online()) return this.#say("offline");
    if (this.#failures >= FALL_AFTER || this.#final) this.#standby.start();
    if (this.#link === null) this.#open();
    else if (this.#state === "offline" || this.#at.now() - this.#heardAt > SILENCE && this.#heard) this.#wake();
    else this.#riser?.now(); // perhaps another network
  }

  /** The old link may hang for minutes, and what is shown may be old. */
  #wake(): void {
    if (this.#state === "live") this.#say("reconnecting");
    this.#reopen();
  }

  #beat(): void {
    watchSleep(this.#at, this.#timers, () => this.#link && !this.#at.hidden() && this.#wake());
  }

  // ---- without a socket

  #polled(document: Availability): void {
    if (this.#resuming) return; // what comes next builds on what is shown
    replaceAll(this.#map, document.statuses);
    this.#mapView = null;
    this.#o.onSnapshot(this.#map.statuses, this.#map.ranges);
    this.#o.onSummary?.(document.free);
    this.#say("polling");
  }
}

function decoded(bytes: ArrayBuffer | Uint8Array | null): Frame | null {
  try {
    return bytes && decodeFrame(bytes);
  } catch {
    return null;
  }
}

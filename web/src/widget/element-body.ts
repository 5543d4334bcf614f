import type { EventDetail, EventState } from "../api/types.ts";
import { about, clock } from "../base/clock.ts";
import { h } from "../base/dom.ts";
import { BareMap } from "../event/bare-map.ts";
import { isState } from "../event/stage.ts";
import { keepsSeats, wantedSeats } from "../event/wanted.ts";
import { t } from "../event/words.ts";
import { venueLine, zonedDate } from "../i18n/format.ts";
import { LiveConnection } from "../live/connection.ts";
import { SeatBook } from "../map/book.ts";
import { type Chart, decodeGeometry } from "../map/geometry.ts";
import type { Asked, Body, BodyHost, Held, Selection } from "./body.ts";
import { Box } from "./box.ts";
import { Missing } from "./missing.ts";
import { type FallbackCode, type Panel, type PanelCode, part } from "./parts.ts";
import { type QuickChoice, quickChoice } from "./quick-choice.ts";
import { limitsOf, type Settings } from "./settings.ts";
import { Source } from "./source.ts";

const REFRESH = 60_000; // ms between two looks at the event's document
const AGAIN = 8_000, LAST = 120_000; // ms until what did not come is asked for again, the first time and in the long run
const LATER = 50; // ms until the panel is asked for: the map is drawn first

/** What there is once the chart has come. */
interface Seats { chart: Chart; book: SeatBook; bare: BareMap; choice: QuickChoice; live: LiveConnection }

/** An event in the partner's own page: map and choice here, everything personal in a frame of ours. */
export class ElementBody implements Body {
  readonly #host: BodyHost;
  readonly #box: Box;
  readonly #stop = new AbortController();
  readonly #source: Source;
  readonly #map = h("section", { class: "map", part: "map", role: "group", tabindex: "0", "aria-label": t("mapTools") });
  readonly #place = h("aside", { class: "pl-panel", part: "panel", "aria-label": t("tickets") });
  #settings: Settings;
  #detail: EventDetail | null = null;
  #seats: Seats | null = null;
  #panel: Panel | null = null;
  #ready = 0; // seats and panel
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: BodyHost) {
    this.#host = host;
    this.#settings = host.settings;
    this.#source = new Source(host.origin, this.#stop.signal);
    this.#box = new Box(host, () => {
      this.#seats?.bare.map.retheme();
      this.#panel?.dress();
    });
    this.#box.fill(this.#map, this.#place);
    document.addEventListener("visibilitychange", () => !document.hidden && this.refresh(), { signal: this.#stop.signal });
    void this.#start();
  }

  // ---- from the first bones to the live map

  async #start(failures = 0): Promise<void> {
    clearTimeout(this.#timer);
    const { event } = this.#settings;
    this.#box.waiting(this.#map, true);
    try {
      if (!event) throw new Missing("EVENT", "the attribute event is empty");
      this.#detail ??= await this.#source.event(event);
      this.#head(this.#detail);
      const chart = await this.#source.get(this.#detail.chart.url, "application/octet-stream"), bytes = await chart.arrayBuffer();
      const decoded = decodeGeometry(bytes);
      if (!decoded.shapes.length) (await part<PanelCode>("panel")).withFocus(decoded);
      if (!this.#stop.signal.aborted) this.#open(decoded);
    } catch (error) {
      if (!this.#stop.signal.aborted) void this.#failed(error, failures);
    }
  }

  async #failed(error: unknown, failures: number): Promise<void> {
    const again = (): void => void this.#start(failures + 1);
    const { code, message, again: mayCome } = await this.#box.trouble(this.#map, error, again);
    if (this.#stop.signal.aborted) return;
    this.#place.replaceChildren();
    if (failures === 0) this.#host.tell("plateia-error", { code, text: message });
    if (mayCome) this.#timer = setTimeout(again, about(Math.min(LAST, AGAIN * 2 ** failures)));
  }

  #open(chart: Chart): void {
    this.#box.waiting(this.#map, false);
    const book = new SeatBook(chart), bare = new BareMap(this.#map, chart, book);
    const choice = quickChoice(this.#place, book, (o) => bare.map.changed([o]), () => void this.#bring());
    bare.map.events = { seatTap: (o) => choice.tap(this.#limited(), o) };
    this.#map.setAttribute("aria-label", `${t("mapTools")}: ${this.#detail!.title}`);
    this.#seats = { chart, book, bare, choice, live: this.#follow(chart, book, bare) };
    this.#limit();
    this.#timer = setInterval(() => !document.hidden && this.#host.element.isConnected && this.refresh(), REFRESH);
    setTimeout(() => void this.#bring(), LATER);
  }

  #follow(chart: Chart, book: SeatBook, bare: BareMap): LiveConnection {
    const { eventId } = this.#detail!, event = `${this.#host.origin}/v1/events/${eventId}`;
    return new LiveConnection({
      url: `${event}/live`, event: eventId, seats: chart.seats, pollUrl: `${event}/availability`,
      fallback: async () => {
        const code = await part<FallbackCode>("fallback");
        bare.sign.polling = code.words;
        return code;
      },
      onSnapshot: (statuses, ranges) => this.#changed(bare, ranges.flatMap(([from, to]) => book.snapshot(statuses.subarray(from, to), from))),
      onDelta: (ordinals, statuses) => this.#changed(bare, book.apply(Array.from(ordinals, (ordinal, i) => ({ ordinal, status: statuses[i]! })))),
      onState: (state, way) => bare.sign.show(state, way),
      onNotice: (kind, body) => this.#notice(kind, (body as { state?: EventState } | null)?.state),
    });
  }

  /** Only what concerns everybody: our frame hears of the fan's own. */
  #notice(kind: number, state: EventState | undefined): void {
    if (kind === 1 && state && isState(state)) this.#take({ ...this.#detail!, state });
    if (kind === 2) setTimeout(() => this.refresh(), Math.random() * 4000); // prices
  }

  #changed({ map }: BareMap, ordinals: number[]): void {
    map.changed(ordinals);
    this.#panel?.changed(ordinals);
    this.#sayReady(1);
  }

  /** The methods work once both are there: true seats, and the panel. */
  #sayReady(what: 1 | 2): void {
    const before = this.#ready;
    this.#ready |= what;
    if (this.#ready < 3 || before === 3) return;
    const { eventId, title, state } = this.#detail!;
    this.#host.tell("plateia-ready", { event: eventId, title, state, mode: "element" });
  }

  #head(e: EventDetail): void {
    this.#box.title(e.title, h("time", { datetime: e.startsAt }, zonedDate(e.startsAt, e.timeZone)), h("p", null, venueLine(e.venue)));
  }

  /** The panel takes map and choice over as they are. */
  async #bring(): Promise<void> {
    try {
      const { sheet, open } = await part<PanelCode>("panel"), seats = this.#seats!;
      if (this.#stop.signal.aborted || this.#panel) return;
      this.#box.adopt(sheet);
      this.#panel = open({
        ...seats, host: this.#host, box: this.#box, detail: this.#limited(), limits: limitsOf(this.#settings, this.#detail!), now: () => clock.now(), desk: () => part("desk"), place: this.#place, mapPlace: this.#map,
      });
      if (seats.choice.asked) this.#panel.ask(null);
      this.#sayReady(2);
    } catch {
      setTimeout(() => !this.#stop.signal.aborted && void this.#bring(), AGAIN);
    }
  }

  // ---- what the partner wants

  #limited(): EventDetail {
    const detail = this.#detail!, { maxSeats = Infinity } = this.#settings;
    return { ...detail, rules: { ...detail.rules, maxPerAccount: Math.min(detail.rules.maxPerAccount, maxSeats) } };
  }

  #limit(): void {
    const detail = this.#detail!, { chart, book, bare } = this.#seats!, limits = limitsOf(this.#settings, detail);
    if (this.#panel) return this.#panel.limit(limits);
    const kept = keepsSeats(detail, chart, clock.now());
    book.kept = kept && !limits.accessible;
    book.want(wantedSeats(detail, chart, [limits], limits.accessible ? "only" : kept ? "never" : "any"));
    bare.map.redraw();
  }

  #take(detail: EventDetail): void {
    this.#detail = detail;
    this.#panel?.renew(this.#limited());
  }

  update(settings: Settings): void {
    this.#settings = settings;
    this.#box.update(settings);
    if (this.#seats) this.#limit();
    if (this.#detail) this.#take(this.#detail);
  }

  refresh(): void {
    if (!this.#seats) return;
    this.#source.event(this.#settings.event).then((detail) => this.#take(detail), () => {}); // the live sign says that we are offline
  }

  get selection(): Selection {
    return this.#panel?.selection ?? { seats: [], areas: [], total: null };
  }

  get hold(): Held | null {
    return this.#panel?.hold ?? null;
  }

  select(labels: readonly string[]): string[] {
    return this.#panel?.select(labels) ?? [...labels];
  }

  show(section: string | null): void {
    if (!this.#seats) return;
    const { bare: { map }, chart } = this.#seats;
    if (section === null) return map.fit();
    const found = chart.sections.findIndex((s) => s.label === section);
    if (found >= 0) map.showSection(found);
  }

  ask(best: Asked | null): void {
    this.#panel?.ask(best);
  }

  desk(open: boolean): void {
    this.#panel?.desk(open);
  }

  close(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
    this.#seats?.live.close();
    this.#panel?.close();
    this.#seats?.bare.destroy();
    this.#box.close();
  }
}

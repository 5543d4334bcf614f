import type { EventDetail } from "../api/types.ts";
import { clock } from "../base/clock.ts";
import { h, icon, icons } from "../base/dom.ts";
import type { MapView } from "../event/map-view.ts";
import type { EventModel } from "../event/model.ts";
import { t } from "../event/words.ts";
import { eventDate, venueLine } from "../i18n/format.ts";
import type { Asked, Body, BodyHost, Held, Selection } from "./body.ts";
import { Box } from "./box.ts";
import { part } from "./parts.ts";
import type { DeskCode, Live, LiveCode, Panel, PanelCode, SeatsCode } from "./parts.ts";
import { limitsOf, type Settings } from "./settings.ts";
import { adopt } from "./sheet.ts";
import { Missing } from "./missing.ts";
import { Source } from "./source.ts";
import { troubleCard } from "./trouble.ts";

const REFRESH = 60_000; // ms between two looks at the event's document
const AGAIN = 8_000, LAST = 120_000; // ms until what did not come is asked for again, the first time and in the long run

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
  #model: EventModel | null = null;
  #view: MapView | null = null;
  #live: Live | null = null;
  #panel: Panel | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: BodyHost) {
    this.#host = host;
    this.#settings = host.settings;
    this.#source = new Source(host.origin, this.#stop.signal);
    this.#box = new Box(host, () => {
      this.#view?.map.retheme();
      this.#panel?.renew();
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
      const code = { seats: part<SeatsCode>("seats"), panel: part<PanelCode>("panel"), live: part<LiveCode>("live") };
      for (const coming of Object.values(code)) coming.catch(() => {}); // whoever waits for it hears of it
      this.#detail ??= await this.#source.event(event);
      this.#head(this.#detail);
      const [bytes, seats, panel] = await Promise.all([this.#source.bytes(this.#detail.chart.url), code.seats, code.panel]);
      if (!this.#stop.signal.aborted) this.#open(bytes, seats, panel, code.live);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#failed(error, failures);
    }
  }

  #failed(error: unknown, failures: number): void {
    const code = error instanceof Missing ? error.code : "UNREACHABLE";
    const again = (): void => void this.#start(failures + 1);
    this.#box.waiting(this.#map, false);
    this.#place.replaceChildren();
    this.#map.replaceChildren(troubleCard(error, this.#host.origin, this.#settings.event, again));
    this.#box.element.classList.add("trouble");
    if (failures === 0) this.#host.tell("plateia-error", { code, text: error instanceof Error ? error.message : String(error) });
    if (!(error instanceof Missing) || error.again) {
      this.#timer = setTimeout(again, Math.min(LAST, AGAIN * 2 ** failures) * (0.75 + Math.random() / 2));
    }
  }

  #open(bytes: ArrayBuffer, seats: SeatsCode, panel: PanelCode, live: Promise<LiveCode>): void {
    const { root, element } = this.#host, { classList } = this.#box.element;
    classList.remove("trouble");
    this.#box.waiting(this.#map, false);
    adopt(root, seats.sheet);
    adopt(root, panel.sheet);
    const { model, view } = seats.open(this.#map, bytes, this.#limited(this.#detail!), {
      tap: (o) => this.#panel?.tap(o),
      area: (section) => this.#panel?.area(section),
      looking: (section) => this.#panel?.looking(section),
    });
    this.#map.setAttribute("aria-label", `${t("mapTools")}: ${model.detail.title}`);
    this.#model = model;
    this.#view = view;
    this.#limit(model);
    this.#panel = panel.open({
      host: this.#host, model, view, skin: this.#box.skin, place: this.#place, desk: () => part<DeskCode>("desk"),
      adopt: (css) => adopt(root, css),
      trouble: (why, again) => troubleCard(new Missing("FRAME", why), this.#host.origin, this.#settings.event, again),
      touched: (ordinals) => view.map.changed(ordinals), now: () => clock.now(),
    });
    void this.#follow(model, live);
    this.#timer = setInterval(() => !document.hidden && element.isConnected && this.refresh(), REFRESH);
  }

  #ready = false;

  #sayReady(): void {
    if (this.#ready) return;
    this.#ready = true;
    const { eventId, title, state } = this.#detail!;
    this.#host.tell("plateia-ready", { event: eventId, title, state, mode: "element" });
  }

  #head(e: EventDetail): void {
    this.#box.title(e.title, h("p", null, icon(icons.clock), h("time", { datetime: e.startsAt }, eventDate(e.startsAt, e.timeZone))),
      h("p", null, icon(icons.pin), venueLine(e.venue)));
  }

  async #follow(model: EventModel, live: Promise<LiveCode>): Promise<void> {
    try {
      const code = await live;
      if (this.#stop.signal.aborted) return;
      this.#live = code.follow(this.#host.origin, model, {
        changed: (ordinals) => {
          this.#view?.map.changed(ordinals);
          this.#panel?.changed(ordinals);
          this.#sayReady();
        },
        state: (state, way) => this.#view?.sign.show(state, way),
        event: (state) => this.#take({ ...this.#detail!, state }),
        prices: () => void setTimeout(() => this.refresh(), Math.random() * 4000),
      });
    } catch {
      this.#view?.sign.show("offline", null);
      setTimeout(() => !this.#stop.signal.aborted && void this.#follow(model, part<LiveCode>("live")), AGAIN);
    }
  }

  // ---- what the partner wants

  #limited(detail: EventDetail): EventDetail {
    const { maxSeats } = this.#settings, { maxPerAccount } = detail.rules;
    return { ...detail, rules: { ...detail.rules, maxPerAccount: Math.min(maxPerAccount, maxSeats ?? maxPerAccount) } };
  }

  #limit(model: EventModel): void {
    model.keep(clock.now());
    model.filter.limit(limitsOf(this.#settings, model.detail));
  }

  #take(detail: EventDetail): void {
    this.#detail = detail;
    this.#model?.renew(this.#limited(detail));
    this.#panel?.renew();
  }

  update(settings: Settings): void {
    this.#settings = settings;
    this.#box.update(settings);
    if (this.#model) this.#limit(this.#model);
    if (this.#detail) this.#take(this.#detail);
  }

  refresh(): void {
    if (!this.#model) return;
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
    const found = section === null ? -1 : (this.#model?.sectionOf(section) ?? -1);
    if (found >= 0) this.#view?.showSection(found);
    else if (section === null) this.#view?.map.fit();
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
    this.#live?.close();
    this.#panel?.close();
    this.#view?.destroy();
    this.#box.close();
  }
}

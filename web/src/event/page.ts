import { json, send } from "../api/client.ts";
import { explain, Problem } from "../api/problem.ts";
import type { EventDetail, Hold } from "../api/types.ts";
import { access, dropAccess } from "../auth/access.ts";
import { session, signOut } from "../auth/session.ts";
import { announce, byId, h, icons } from "../base/dom.ts";
import { clock } from "../base/clock.ts";
import { ownTime, shortDate } from "../i18n/format.ts";
import { plural, t } from "./words.ts";
import { HELD, SeatBook } from "../map/book.ts";
import { decodeGeometry } from "../map/geometry.ts";
import { showAccount } from "../ui/account.ts";
import { state } from "../ui/notice.ts";
import { signInForm } from "../ui/sign-in.ts";
import { Feed } from "./feed.ts";
import { showHead } from "./head.ts";
import { extendHold, type HoldRequest, makeOrder, myHold, payPath, placeHold, releaseHold } from "./holding.ts";
import { Line } from "./line.ts";
import { MapView } from "./map-view.ts";
import { EventModel } from "./model.ts";
import { refusal, takenSeats, takenText } from "./refusals.ts";
import { Shop } from "./shop.ts";
import { type Stage, stageOf } from "./stage.ts";

const REFRESH = 30_000; // ms between two looks at the event's state
const RETRY = 8_000; // ms until a page that found no event asks again by itself

/** One event's page: the map on one side; door, line or shop on the other. */
export class EventPage {
  readonly #id: string;
  readonly #panel = byId("panel-inner");
  #detail!: EventDetail;
  #model: EventModel | null = null;
  #map: MapView | null = null;
  #shop: Shop | null = null;
  #line: Line | null = null;
  #feed: Feed | null = null;
  #stage: Stage | "" = "";
  #hold: Hold | null = null;
  #holdNews = 0; // grows with every answer about the hold: one that was asked for earlier is old
  #pending: HoldRequest | null = null; // asked for, waits for its access token
  #placing = false;
  #needAccess = false;

  constructor(id: string) {
    this.#id = id;
  }

  async start(): Promise<void> {
    try {
      this.#detail = await json<EventDetail>(`/v1/events/${encodeURIComponent(this.#id)}`);
    } catch (error) {
      return this.#failed(error);
    }
    byId("map").hidden = false;
    showHead(this.#detail);
    void this.#openMap();
    await this.#loadHold();
    this.#show();
    setInterval(() => void this.#refresh(), REFRESH);
    document.addEventListener("visibilitychange", () => !document.hidden && void this.#refresh());
    const opens = Date.parse(this.#detail.onSaleAt) - clock.now();
    if (opens > 0 && opens < 86_400_000) setTimeout(() => void this.#refresh(), opens + 500 + Math.random() * 1500);
  }

  #failed(error: unknown): void {
    const gone = error instanceof Problem && (error.code === "NOT_FOUND" || error.code === "INVALID");
    const again = (): void => {
      clearTimeout(timer);
      void this.start();
    };
    const timer = gone ? undefined : setTimeout(again, RETRY * (0.75 + Math.random() / 2));
    const action = gone
      ? h("a", { class: "button", href: "/" }, t("backToEvents"))
      : h("button", { class: "button", type: "button", onclick: again }, t("retry"));
    byId("title").textContent = gone ? "404" : t("events");
    byId("map").hidden = true;
    this.#panel.replaceChildren(state(icons.alert, gone ? t("errNotFound") : t("errGeneric"), gone ? "" : explain(error), action));
  }

  // ---- map and live seats

  async #openMap(): Promise<void> {
    try {
      const response = await send(this.#detail.chart.url, { accept: "application/octet-stream" });
      const chart = decodeGeometry(await response.arrayBuffer());
      this.#model = new EventModel(this.#detail, chart, new SeatBook(chart));
    } catch (error) {
      const again = h("button", { class: "button", type: "button", onclick: () => void this.#openMap() }, t("retry"));
      byId("map-bones").replaceChildren(state(icons.alert, t("errGeneric"), explain(error), again));
      return;
    }
    if (this.#hold) this.#model.book.hold(this.#hold.seats.map((s) => s.ordinal));
    this.#map = new MapView(this.#model, {
      tap: (o) => this.#tap(o),
      looking: (section) => this.#shop?.looking(section),
    });
    this.#feed = new Feed(this.#model, {
      changed: (ordinals) => this.#changed(ordinals),
      state: (s) => this.#map?.live(s),
      notice: () => void this.#refresh(),
    });
    if (this.#stage === "shop") this.#openShop(); // it waited for the chart
  }

  #changed(ordinals: number[]): void {
    this.#map?.map.changed(ordinals);
    this.#shop?.changed(ordinals);
    if (!this.#placing) this.#dropLost();
    this.#saySoldOut();
  }

  #soldOut = false;

  #saySoldOut(): void {
    const book = this.#model?.book;
    const now = book !== undefined && book.known && book.totalFree === 0 && !this.#hold;
    if (now && !this.#soldOut) this.#shop?.say("warn", t("soldOutLead"));
    this.#soldOut = now && this.#shop !== null;
  }

  /** Seats of the choice that somebody else has by now leave it, and the fan is told. */
  #dropLost(): void {
    const model = this.#model!;
    const lost = model.book.dropLost();
    if (lost.length === 0) return;
    this.#map?.map.changed(lost);
    this.#shop?.renderChoice();
    this.#shop?.say("warn", takenText(lost.map((o) => model.seatName(o)), model.book.chosen.size));
  }

  #tap(o: number): void {
    if (this.#stage === "shop") return this.#shop?.toggle(o);
    byId("panel").scrollIntoView({ block: "nearest", behavior: "smooth" });
    this.#panel.querySelector<HTMLElement>("input, button")?.focus({ preventScroll: true });
  }

  // ---- the panel

  #show(): void {
    const stage = stageOf(this.#detail.state, {
      session: session() !== null, access: access(this.#id) !== null && !this.#needAccess, hold: this.#hold !== null && !this.#needAccess,
    });
    if (stage === this.#stage) return;
    if (stage === "line" && this.#stage === "shop" && !this.#needAccess) return; // the next press asks for access
    this.#stage = stage;
    this.#line?.stop();
    this.#line = null;
    const e = this.#detail;
    switch (stage) {
      case "sign-in": return this.#fill(signInForm(t("doorTitle"), t("doorLead"), () => void this.#signedIn()));
      case "line": return this.#startLine();
      case "soon": return this.#fill(state(icons.clock, t("soonTitle"), t("soonLead", { date: shortDate(e.onSaleAt, e.timeZone) })));
      case "paused": return this.#fill(state(icons.clock, t("pausedTitle"), t("pausedLead")));
      case "closed": return this.#fill(state(icons.ticket, t("closedTitle"), t("closedLead")));
      case "cancelled": return this.#fill(state(icons.alert, t("cancelledTitle"), t("cancelledLead")));
      case "shop": return this.#openShop();
    }
  }

  #fill(...content: HTMLElement[]): void {
    if (this.#stage !== "shop") {
      this.#shop?.stop();
      this.#shop = null;
    }
    this.#panel.replaceChildren(...content);
  }

  #startLine(): void {
    this.#line = new Line(this.#id, () => void this.#admitted(), () => this.#signedOut());
    this.#fill(this.#line.element);
    this.#line.start();
  }

  async #signedIn(): Promise<void> {
    await this.#loadHold();
    this.#show();
  }

  #signedOut(): void {
    signOut();
    showAccount();
    this.#hold = null;
    this.#show();
  }

  async #admitted(): Promise<void> {
    this.#needAccess = false;
    this.#feed?.tokenChanged();
    this.#stage = "";
    this.#show();
    announce(t("turnTitle"));
    const request = this.#pending;
    this.#pending = null;
    if (request) await this.#place(request, true);
  }

  #openShop(): void {
    if (!this.#model) return this.#fill(h("div", { class: "box" }, ...[3, 8, 5].map((n) => {
      const bone = h("div", { class: "bone" });
      bone.style.height = `${n}rem`;
      return bone;
    })));
    const map = this.#map;
    this.#shop = new Shop(this.#model, {
      find: (bestAvailable) => this.#place({ bestAvailable }),
      holdChoice: () => this.#holdChoice(),
      filter: (hidden) => map?.map.filter(hidden),
      looking: (section) => map?.showSection(section),
      point: (o) => map?.point(o),
      reveal: (o) => map?.map.showSeats([o]),
      chose: (ordinals) => map?.map.changed(ordinals),
      checkout: () => this.#checkout(), extend: () => this.#extend(), release: () => this.#release(),
      over: () => void this.#over(), payPath,
    });
    this.#fill(this.#shop.element);
    scrollTo({ top: 0 });
    this.#shop.setHold(this.#hold);
    this.#soldOut = false;
    this.#saySoldOut();
  }

  // ---- the hold

  async #loadHold(): Promise<void> {
    if (!session()) return;
    try {
      this.#setHold(await myHold(this.#id));
    } catch (error) {
      if (error instanceof Problem && error.code === "UNAUTHENTICATED") this.#signedOut();
    }
  }

  #setHold(hold: Hold | null): void {
    this.#holdNews++;
    this.#hold = hold;
    const book = this.#model?.book;
    if (book) {
      const ordinals = hold?.seats.map((s) => s.ordinal) ?? [];
      const changed = book.apply(ordinals.filter((o) => book.status[o] === 0).map((ordinal) => ({ ordinal, status: HELD })));
      const touched = [...changed, ...book.hold(ordinals)];
      this.#map?.map.changed(touched);
      this.#shop?.changed(touched);
    }
    this.#shop?.setHold(hold);
  }

  async #holdChoice(): Promise<void> {
    const model = this.#model!;
    const chosen = [...model.book.chosen].sort((a, b) => a - b);
    if (chosen.length === 0) return;
    await this.#place({ seatIds: chosen.map((o) => model.chart.label(o)), expectedTotal: model.total(chosen) });
  }

  async #place(request: HoldRequest, again = false): Promise<void> {
    this.#shop?.quiet();
    if (!access(this.#id)) return this.#lineFirst(request);
    this.#placing = true;
    try {
      const hold = await placeHold(this.#id, request);
      this.#setHold(hold);
      if ("bestAvailable" in request) this.#map?.map.showSeats(hold.seats.map((s) => s.ordinal));
      announce(plural("heldAnnounced", hold.seats.length, { time: ownTime(Date.parse(hold.expiresAt)) }));
      this.#shop?.focusHold();
    } catch (error) {
      this.#refused(error, request, again);
    } finally {
      this.#placing = false;
    }
    this.#dropLost();
  }

  /** The access token is over: back through the line (the place is kept), then the same request again. */
  #lineFirst(request: HoldRequest): void {
    this.#pending = request;
    this.#needAccess = true;
    this.#stage = "";
    this.#show();
  }

  #refused(error: unknown, request: HoldRequest, again: boolean): void {
    const code = error instanceof Problem ? error.code : "";
    if (code === "QUEUE_REQUIRED" && !again) {
      dropAccess(this.#id);
      return this.#lineFirst(request);
    }
    if (code === "UNAUTHENTICATED") return this.#signedOut();
    if (code === "SEAT_TAKEN") return this.#taken(error as Problem);
    const back = { label: t("takeBack"), run: () => (dropAccess(this.#id), this.#lineFirst(request)) };
    this.#shop?.say(code === "OFFLINE" || code === "INTERNAL" ? "bad" : "warn", refusal(error, this.#detail.rules.maxPerAccount),
      code === "SESSION_REPLACED" ? back : undefined);
  }

  #taken(problem: Problem): void {
    const model = this.#model!;
    const named = new Set(takenSeats(problem));
    const lost = [...model.book.chosen].filter((o) => named.has(model.chart.label(o)));
    const changed = model.book.apply(lost.filter((o) => model.book.status[o] === 0).map((ordinal) => ({ ordinal, status: HELD })));
    for (const o of lost) model.book.chosen.delete(o);
    this.#map?.map.changed([...changed, ...lost]);
    this.#shop?.changed(lost);
    this.#shop?.renderChoice();
    this.#shop?.say("warn", takenText(lost.map((o) => model.seatName(o)), model.book.chosen.size));
  }

  async #extend(): Promise<void> {
    const before = Date.parse(this.#hold!.expiresAt);
    try {
      const hold = await extendHold(this.#hold!.holdId);
      const after = Date.parse(hold.expiresAt);
      this.#holdNews++;
      this.#hold = hold;
      this.#shop?.setHold(hold);
      this.#shop?.say(after > before ? "ok" : "warn", after > before ? t("extended", { time: ownTime(after) }) : t("extendLimit"));
    } catch (error) {
      this.#holdTrouble(error);
    }
  }

  async #release(): Promise<void> {
    try {
      await releaseHold(this.#hold!.holdId);
      this.#setHold(null);
      this.#shop?.say("ok", t("released"));
    } catch (error) {
      this.#holdTrouble(error);
    }
  }

  async #checkout(): Promise<void> {
    try {
      const made = await makeOrder(this.#hold!.holdId);
      location.assign(made.paymentUrl);
    } catch (error) {
      this.#holdTrouble(error);
    }
  }

  #holdTrouble(error: unknown): void {
    const code = error instanceof Problem ? error.code : "";
    if (code === "UNAUTHENTICATED") return this.#signedOut();
    if (code === "HOLD_GONE" || code === "NOT_FOUND") return this.#sayOver();
    this.#shop?.say("bad", refusal(error, this.#detail.rules.maxPerAccount));
  }

  /** The countdown reached zero: the server has the last word, another tab may have extended the hold. */
  async #over(): Promise<void> {
    try {
      const hold = await myHold(this.#id);
      if (hold?.state === "PAYING") return; // the payment decides; the panel leads to it
      if (hold && Date.parse(hold.expiresAt) > clock.now()) {
        this.#shop?.setHold(null); // a new panel: the old one has stopped
        return this.#setHold(hold);
      }
    } catch {
      // offline at the end of the hold: what the clock says is all there is
    }
    this.#sayOver();
  }

  /** The hold has ended by itself: the fan is told, and may ask for the same seats again with one press. */
  #sayOver(): void {
    const seats = this.#hold?.seats ?? [], total = this.#hold?.total;
    this.#setHold(null);
    const again = { label: t("holdAgain"), run: () => void this.#place({ seatIds: seats.map((s) => s.seatId), expectedTotal: total }) };
    this.#shop?.say("warn", t("holdOver"), seats.length > 0 ? again : undefined);
  }

  async #refresh(): Promise<void> {
    try {
      this.#detail = await json<EventDetail>(`/v1/events/${encodeURIComponent(this.#id)}`);
      if (session() && !this.#placing) {
        const news = this.#holdNews;
        const hold = await myHold(this.#id);
        const same = hold?.holdId === this.#hold?.holdId && hold?.expiresAt === this.#hold?.expiresAt && hold?.state === this.#hold?.state;
        if (!same && news === this.#holdNews && !this.#placing) this.#setHold(hold);
      }
    } catch {
      return; // the feed says that we are offline
    }
    this.#show();
  }
}


import { json, send } from "../api/client.ts";
import { offline, Problem } from "../api/problem.ts";
import type { EventDetail, EventState } from "../api/types.ts";
import { access } from "../auth/kept.ts";
import { session, sessionToken, signOut } from "../auth/session.ts";
import { announce, frame, h, icons, visited } from "../base/dom.ts";
import { clock, soon } from "../base/clock.ts";
import { t } from "./words.ts";
import { choosePlaces, takeHold } from "../map/holding.ts";
import { state, way } from "../ui/notice.ts";
import { signInForm } from "../ui/sign-in.ts";
import { bones, failed, lettingIn } from "./between.ts";
import { Desk, type Hall } from "./desk.ts";
import { chartOf } from "./early-chart.ts";
import type { Feed } from "./feed.ts";
import { type HoldRequest, linePath } from "./holding.ts";
import { keepPending, takePending } from "./pending.ts";
import type { MapView } from "./map-view.ts";
import { EventModel } from "./model.ts";
import type { News } from "../live/notices.ts";
import { alike, outside } from "./outside.ts";
import { Seating } from "./seating.ts";
import type { Floor, FloorMaker, Room, Setting } from "./setting.ts";
import { isState, type Stage, stageOf } from "./stage.ts";

const REFRESH = 30_000; // ms between two looks at the event's state
const SPREAD = 4_000; // ms within which everybody looks again after news about the event
const OLD = 40_000; // ms that a cache may go on giving the event as it was before the news (edge/api: 31 s)
const STAYS: ReadonlySet<Stage> = new Set<Stage>(["soon", "sign-in", "line", "paused"]); // in these the waiting room goes on
const RETRY = 8_000; // ms until a page that found no event asks again by itself

/** One event's page: the map on one side; door or shop on the other. Where that is, is the setting's business. */
export class EventPage implements Hall {
  readonly id: string;
  readonly #setting: Setting;
  #detail!: EventDetail;
  #seating: ((url: string) => Promise<Seating>) | null = null;
  readonly #desk = new Desk(this);
  #drawn: Promise<void> | null = null; // the first frame with the venue
  model: EventModel | null = null;
  map: MapView | null = null;
  shop: Floor | null = null;
  #room: Room | null = null; // the waiting room, while it is in the panel
  #feed: Feed | null = null;
  #shopAsked = false;
  #soldOut = false; // and said so
  #asked: HoldRequest | null = null; // chosen elsewhere, before the chart was there
  #stage: Stage | "" = "";
  #needAccess = false;
  #sessionOver = false; // the fan was signed in until now
  #told: { state: EventState; until: number } | null = null; // newer than what caches say until then

  constructor(id: string, setting: Setting) {
    this.id = id;
    this.#setting = setting;
  }

  get till(): Setting["till"] {
    return this.#setting.till;
  }

  get told(): Setting["told"] {
    return this.#setting.told;
  }

  async start(): Promise<void> {
    this.#seating ??= chartOf(this.id, { read: (bytes) => new Seating(bytes), show: (seating) => this.#begin(seating) });
    try {
      this.#detail = await json<EventDetail>(`/v1/events/${encodeURIComponent(this.id)}`);
    } catch (error) {
      return this.#failed(error);
    }
    await this.#drawn; // what the event says in words comes after the picture, if that is there already
    this.#setting.map?.hide(false);
    this.#setting.head(this.#detail);
    import("./feed.ts").catch(() => {}); // asked for again with the chart
    void this.#openMap();
    if (await visited()) void this.#refresh(); // what was asked for ahead may be old
    await this.#desk.load();
    this.#show();
    if (access(this.id)) void this.#askAgain();
    setInterval(() => void this.#refresh(), REFRESH);
    document.addEventListener("visibilitychange", () => !document.hidden && void this.#refresh());
    addEventListener("pageshow", (e) => e.persisted && this.#back());
    const opens = Date.parse(this.#detail.onSaleAt) - clock.now();
    if (opens > 0 && opens < 86_400_000) setTimeout(() => void this.#refresh(), opens + 500 + Math.random() * 1500);
  }

  /** As the page was left: from the waiting room, or from the payment, which may have ended meanwhile. */
  #back(): void {
    if (this.#stage !== "line") return void this.#refresh();
    this.#stage = "";
    this.#show();
  }

  #failed(error: unknown): void {
    const gone = error instanceof Problem && (error.code === "NOT_FOUND" || error.code === "INVALID");
    this.#setting.headless(gone);
    this.#setting.map?.hide(true);
    this.told.trouble?.(error);
    this.#setting.panel.replaceChildren(...(gone
      ? [state(icons.search, t("missingEvent"), t("errNotFound"), h("a", { class: "button", href: "/" }, t("backToEvents"))), alike(null)]
      : [failed(t("loadFailed"), error, soon(RETRY, () => void this.start()))]));
  }

  async #begin(seating: Seating): Promise<void> {
    this.#drawn = frame();
    await this.#setting.map?.begin(seating);
    seating.complete();
  }

  async #openMap(): Promise<void> {
    try {
      const { chart, book } = await this.#seating!(this.#detail.chart.url);
      this.model = new EventModel(this.#detail, chart, book);
      this.model.keep(clock.now());
    } catch (error) {
      const again = soon(RETRY, () => void this.#openMap());
      const why = failed(t("mapFailed"), error, again);
      if (this.#setting.map) this.#setting.map.failed(why);
      else if (this.#stage === "shop") this.#fill(why);
      return;
    }
    this.told.chart?.(this.model);
    this.#mark();
    if (this.#desk.hold) takeHold(this.model.book, this.#desk.hold.seats.map((s) => s.ordinal));
    this.map = this.#setting.map?.open(this.model, {
      tap: (o) => this.#tap(() => this.shop?.toggle(o)),
      area: (section) => this.#tap(() => this.shop?.openArea(section)),
      looking: (section) => this.shop?.looking(section),
      view: (section, host) => this.#see(section, host),
    }) ?? null;
    void this.#follow(this.model);
    if (this.#stage === "shop") void this.#openShop(); // it waited for the chart
  }

  /** What one sees from a section, over this element's colours. */
  #see(section: number, host: HTMLElement): void {
    void import("./section-view.ts").then(({ showView }) => this.model && showView(this.model, section, host, (path, accept) => send(path, { accept })), () => {});
  }

  /** The live connection has a script of its own, asked for together with the chart. */
  async #follow(model: EventModel, failures = 0): Promise<void> {
    try {
      const { Feed } = await import("./feed.ts");
      await visited();
      this.#feed = new Feed(model, {
        changed: (ordinals) => this.#changed(ordinals),
        state: (s, way) => this.map?.sign.show(s, way),
        news: (news) => this.#news(news),
      });
    } catch {
      setTimeout(() => void this.#follow(model, failures + 1), Math.min(RETRY, 1000 * 2 ** failures));
    }
  }

  #changed(ordinals: number[]): void {
    if (!this.#shopAsked) this.#setting.floor().catch(() => {}); // what is seen first does not wait for it; the shop asks again
    this.#shopAsked = true;
    this.map?.map.changed(ordinals);
    this.shop?.changed(ordinals);
    this.#desk.dropLost();
    this.#saySoldOut();
  }

  #saySoldOut(): void {
    const book = this.model?.book;
    const now = book !== undefined && book.known && book.totalFree === 0 && !this.#desk.hold;
    if (now && !this.#soldOut) this.shop?.say("warn", t("soldOutLead"));
    this.#soldOut = now && this.shop !== null;
    if (this.#stage === "sign-in" || this.#stage === "sold-out") this.#show();
  }

  #isSoldOut(): boolean {
    const book = this.model?.book;
    return book?.known ? book.totalFree === 0 : this.#detail.availability === "sold_out";
  }

  /** A tap on the map chooses once the fan is at the seats; until then it leads to the door. */
  #tap(choose: () => void): void {
    if (this.#stage === "shop") return choose();
    const { panel } = this.#setting;
    (panel.closest(".panel") ?? panel).scrollIntoView({ block: "nearest", behavior: "smooth" });
    panel.querySelector<HTMLElement>("input, button")?.focus({ preventScroll: true });
  }

  // ---- the panel

  #show(): void {
    const stage = stageOf(this.#detail.state, {
      soldOut: this.#isSoldOut(), session: session() !== null, access: access(this.id) !== null && !this.#needAccess, hold: this.#desk.hold !== null && !this.#needAccess,
    });
    if (stage === this.#stage) return;
    if (stage === "line" && this.#stage === "shop" && !this.#needAccess) return; // the next press asks for access
    this.#stage = stage;
    this.told.stage?.(stage);
    if (stage === "closed" || stage === "cancelled") this.#setting.map?.over();
    if (this.#room && STAYS.has(stage)) return; // it says these itself
    switch (stage) {
      case "line": return void this.#letIn();
      case "shop": return void this.#openShop();
      default: return this.#fill(...outside(stage, this.#detail, {
        signIn: () => signInForm(t("doorTitle"), t(this.#sessionOver ? "errSession" : "doorLead"), () => void this.#signedIn()),
        enterDraw: (label) => this.#toLine(label, true),
      }));
    }
  }

  #fill(...content: HTMLElement[]): void {
    this.#room?.stop();
    this.#room = null;
    if (this.#stage !== "shop") {
      this.shop?.stop();
      this.shop = null;
    }
    this.#setting.panel.replaceChildren(...content);
  }

  /** The access token is over: back through the line (the place is kept), then the same request again. */
  lineFirst(request: HoldRequest): void {
    keepPending(this.id, request);
    this.#needAccess = true;
    this.#stage = "";
    this.#show();
  }

  #toLine(label: string, enter: boolean): HTMLElement {
    return way(this.#setting.room ? { label, run: () => this.#wait(enter) } : { label, href: linePath(this.id, enter) }, "button");
  }

  /** To the waiting room: a page of its own, or here. */
  #wait(enter: boolean): void {
    if (!this.#setting.room) return location.assign(linePath(this.id, enter));
    const stage = this.#stage;
    this.#setting.room(enter, () => this.#admitted()).then((room) => {
      if (this.#stage !== stage) return room.stop();
      this.#fill(room.element);
      this.#room = room;
    }, () => setTimeout(() => this.#stage === stage && this.#wait(enter), RETRY / 2));
  }

  /** Straight to the seats when nobody waits; else to the waiting room. Whoever comes from there looks around, and goes back by a press. */
  async #letIn(): Promise<void> {
    if (this.#setting.lookingAround && !this.#needAccess) {
      return this.#fill(state(icons.clock, t("lineTitle"), t("lineKeep"), this.#toLine(t("lineBack"), false)));
    }
    this.#fill(...lettingIn(this.#detail));
    const code = await Promise.all([import("./let-in.ts"), import("../auth/access.ts")]).catch(() => null);
    const end = code === null ? "cut-off" : await code[0].letIn(this.id, code[0].doorway(this.id, code[1], sessionToken() ?? ""));
    if (this.#stage !== "line") return; // the event's state has changed meanwhile
    if (end === "cut-off") return this.#fill(failed(t("errGeneric"), offline(), soon(RETRY, () => void (this.#stage === "line" && this.#letIn()))));
    if (end === "in") return this.#admitted();
    if (end === "signed-out") return this.signedOut();
    this.#wait(true);
  }

  async #signedIn(): Promise<void> {
    this.#sessionOver = false;
    await this.#desk.load();
    this.#show();
    await this.#askAgain(false);
  }

  signedOut(request?: HoldRequest): void {
    if (request) keepPending(this.id, request);
    this.#sessionOver = true;
    signOut();
    this.#setting.account();
    this.#desk.set(null);
    this.#show();
  }

  async #admitted(): Promise<void> {
    this.#needAccess = false;
    this.#feed?.tokenChanged();
    this.#stage = "";
    this.#show();
    announce(t("turnTitle"));
    await this.#askAgain();
  }

  /** What was asked for before the way led through the door or the line. */
  async #askAgain(again = true): Promise<void> {
    const request = this.#needAccess || !access(this.id) ? null : takePending(this.id);
    if (request) await this.#desk.place(request, again);
  }

  /** Has seats held that were chosen elsewhere, now or as soon as the fan may have some. */
  ask(request: HoldRequest): void {
    this.#asked = request;
    this.#mark();
    if (this.#stage === "shop" && this.shop) return void this.#desk.place(request);
    keepPending(this.id, request);
    if (this.#stage === "line" && !this.#room) void this.#letIn();
  }

  /** What is asked for is the choice: of it some may be lost. */
  #mark(): void {
    const { model } = this;
    if (!model || !this.#asked) return;
    for (const o of (this.#asked.seatIds ?? []).map((label) => model.ordinal(label))) if (o >= 0) model.book.chosen.add(o);
    for (const { section, quantity } of this.#asked.areas ?? []) choosePlaces(model.book, model.sectionOf(section), quantity);
    this.#asked = null;
  }

  /** Bones until the chart and the shop's own script are there. */
  async #openShop(): Promise<void> {
    if (!this.shop) this.#fill(bones());
    if (!this.model) return;
    await this.#setting.floor().then((made) => this.#stage === "shop" && this.#fillShop(made, this.model!),
      (error: unknown) => this.#fill(failed(t("errGeneric"), error, soon(RETRY, () => void (this.#stage === "shop" && !this.shop && this.#openShop())))));
  }

  #fillShop(made: FloorMaker, model: EventModel): void {
    const { map } = this, desk = this.#desk;
    this.shop?.stop();
    this.shop = new made(model, {
      find: (bestAvailable) => desk.place({ bestAvailable }),
      holdChoice: () => desk.holdChoice(),
      looking: (section) => map?.showSection(section),
      view: (section) => this.#see(section, document.body),
      point: (o) => map?.point(o),
      reveal: (o) => map?.showSeats([o]),
      chose: (ordinals) => map?.map.changed(ordinals),
      checkout: () => desk.checkout(), extend: () => desk.extend(), release: () => desk.release(),
      over: () => void desk.over(), goOn: (hold, label) => this.till.goOn(hold, label),
    });
    this.#fill(this.shop.element);
    scrollTo({ top: 0 });
    this.shop.setHold(this.#desk.hold);
    if (model.book.known) this.#desk.dropLost(); // of a choice that was kept
    this.#soldOut = false;
    this.#saySoldOut();
  }

  async #refresh(cache?: RequestCache): Promise<void> {
    try {
      this.#take(await json<EventDetail>(`/v1/events/${encodeURIComponent(this.id)}`, { cache }));
      await this.#renew();
      await this.#desk.look();
    } catch {
      return; // the feed says that we are offline
    }
    this.#show();
  }

  /** Prices that have changed are shown before anybody pays them. */
  async #renew(): Promise<void> {
    const before = JSON.stringify(this.model?.detail.categories), now = JSON.stringify(this.#detail.categories);
    this.model?.renew(this.#detail);
    if (before !== now && this.#stage === "shop") await this.#openShop();
  }

  /** What the gateway tells. Everybody hears of the event at once, so that they look again one after the other. */
  #news(news: News): void {
    switch (news.about) {
      case "hold": return void this.#desk.heard(news.id, news.state, news.expiresAt).then(() => this.#show());
      case "order": return void this.#desk.heardOrder(news.id, news.state).then(() => this.#show());
      case "event": this.#hear(news.state);
    }
    setTimeout(() => void this.#refresh(), Math.random() * SPREAD);
  }

  /** The event's new state is shown at once; only that the sale begins is spread, because it sends everybody to the door. */
  #hear(state: string): void {
    if (!isState(state)) return;
    this.#told = { state, until: Date.now() + OLD };
    this.#take(this.#detail);
    if (state === "on_sale") setTimeout(() => this.#show(), Math.random() * SPREAD / 2);
    else this.#show();
  }

  #take(detail: EventDetail): void {
    const told = this.#told && this.#told.until > Date.now() ? this.#told : detail;
    this.#detail = { ...detail, state: told.state };
  }

  /** Something here is over: the seats are looked at again. */
  look = (): Promise<void> => this.#refresh("no-cache");

  /** Prices are news. A cache on the way may give what it has and only then ask: what has not changed is asked for once more. */
  async refresh(): Promise<void> {
    const before = JSON.stringify(this.#detail.categories);
    await this.#refresh("no-cache");
    if (JSON.stringify(this.#detail.categories) !== before) return;
    await new Promise((done) => setTimeout(done, 1500));
    await this.#refresh("no-cache");
  }
}

import { explain } from "../api/explain.ts";
import { Problem } from "../api/problem.ts";
import type { Hold } from "../api/types.ts";
import { access, dropAccess } from "../auth/kept.ts";
import { session } from "../auth/session.ts";
import { clock } from "../base/clock.ts";
import { announce } from "../base/dom.ts";
import { ownTime } from "../i18n/format.ts";
import { HELD } from "../map/book.ts";
import { dropLost, dropLostPlaces, takeHold } from "../map/holding.ts";
import type { Action } from "../ui/notice.ts";
import { extendHold, type HoldRequest, makeOrder, myHold, placeHold, releaseHold } from "./holding.ts";
import type { MapView } from "./map-view.ts";
import type { EventModel } from "./model.ts";
import type { Floor, Till, Told } from "./setting.ts";
import { plural, t } from "./words.ts";

/** What the desk needs of its page. */
export interface Hall {
  readonly id: string;
  readonly model: EventModel | null;
  readonly map: MapView | null;
  readonly shop: Floor | null;
  readonly till: Till;
  readonly told: Partial<Told>;
  /** There is no access token (any more): back through the line, then the same request again. */
  lineFirst(request: HoldRequest): void;
  /** The session is over: the door, and then the same request again. */
  signedOut(request?: HoldRequest): void;
  /** Prices or state of the event are news. */
  refresh(): Promise<void>;
}

/** Where seats are held, kept, given back and paid for: the requests about the fan's hold and what becomes of them. */
export class Desk {
  readonly #hall: Hall;
  #hold: Hold | null = null;
  #news = 0; // grows with every answer about the hold: one that was asked for earlier is old
  #placing = false;
  #acting = false; // extends, releases or pays
  #paying = ""; // the order of the last hold that had one

  constructor(hall: Hall) {
    this.#hall = hall;
  }

  get hold(): Hold | null {
    return this.#hold;
  }

  /** Whether an answer to a hold request is under way. */
  get placing(): boolean {
    return this.#placing;
  }

  /** Loads the account's hold when somebody is signed in. */
  async load(): Promise<void> {
    if (!session()) return;
    try {
      this.set(await myHold(this.#hall.id));
    } catch (error) {
      if (error instanceof Problem && error.code === "UNAUTHENTICATED") this.#hall.signedOut();
    }
  }

  /** Looks whether the hold has changed elsewhere. An answer that something here has overtaken is dropped. */
  async look(): Promise<void> {
    if (!session() || this.#placing) return;
    const news = this.#news, hold = await myHold(this.#hall.id);
    const same = hold?.holdId === this.#hold?.holdId && hold?.expiresAt === this.#hold?.expiresAt && hold?.state === this.#hold?.state;
    if (!same && news === this.#news && !this.#placing) this.set(hold);
  }

  /** The gateway says how a hold of this account stands (expiresAt: ms). What is known already, or was done here, needs no look. */
  async heard(id: string, state: string, expiresAt: number): Promise<void> {
    const hold = this.#hold, ours = hold?.holdId === id;
    if (this.#placing || this.#acting) return; // the answer says more
    if (ours && state === "EXPIRED") return this.over();
    const lives = state === "ACTIVE" || state === "PAYING";
    if (lives ? ours && hold.state === state && Date.parse(hold.expiresAt) === expiresAt : !ours) return;
    await this.look().catch(() => {}); // the next look says it
  }

  /** The gateway says how an order of this account stands. */
  async heardOrder(id: string, status: string): Promise<void> {
    await this.look().catch(() => {});
    this.#hall.told.order?.(id, status);
    if (id === this.#paying && status === "CONFIRMED") this.#hall.shop?.say("ok", t("orderConfirmed"), this.#hall.till.tickets(id, t("seeTickets")));
  }

  /** The hold is this one now; map and lists show it. */
  set(hold: Hold | null): void {
    this.#news++;
    this.#hold = hold;
    this.#paying = hold?.orderId ?? this.#paying;
    const book = this.#hall.model?.book;
    if (book) {
      const ordinals = hold?.seats.map((s) => s.ordinal) ?? [];
      const fresh = ordinals.filter((o) => book.status[o] === 0 && !book.mine.has(o)); // a known hold's seat that is free has been swept: no news will say so again
      const changed = book.apply(fresh.map((ordinal) => ({ ordinal, status: HELD })));
      this.#touched([...changed, ...takeHold(book, ordinals)]);
    }
    this.#hall.shop?.setHold(hold);
    this.#hall.told.hold?.(hold);
  }

  #touched(ordinals: number[]): void {
    this.#hall.map?.map.changed(ordinals);
    this.#hall.shop?.changed(ordinals);
  }

  /** Holds what the fan has chosen. */
  async holdChoice(): Promise<void> {
    const { chart, book } = this.#hall.model!;
    const chosen = [...book.chosen].sort((a, b) => a - b), places = [...book.places];
    if (book.size === 0) return;
    await this.place({
      ...(chosen.length > 0 && { seatIds: chosen.map((o) => chart.label(o)) }),
      ...(places.length > 0 && { areas: places.map(([section, quantity]) => ({ section: chart.sections[section].label, quantity })) }),
      ...(this.#hall.shop?.accessible && { accessible: true }),
      expectedTotal: this.#hall.model!.total(chosen, places),
    });
  }

  /** Asks for a hold. again: this is the second try, with a fresh access token. */
  async place(request: HoldRequest, again = false): Promise<void> {
    const { id, map } = this.#hall;
    this.#hall.shop?.quiet();
    if (!access(id)) return this.#hall.lineFirst(request);
    this.#placing = true;
    try {
      const hold = await placeHold(id, request);
      this.set(hold);
      if (request.bestAvailable) map?.showSeats(hold.seats.map((s) => s.ordinal));
      announce(plural("heldAnnounced", hold.seats.length, { time: ownTime(Date.parse(hold.expiresAt)) }));
      this.#hall.shop?.focusHold();
    } catch (error) {
      await this.#refused(error, request, again);
    } finally {
      this.#placing = false;
    }
    this.dropLost();
  }

  /** What somebody else has of the choice by now leaves it, and the fan is told. */
  dropLost(): void {
    const model = this.#hall.model;
    if (!model || this.#placing) return;
    const lost = dropLost(model.book), areas = dropLostPlaces(model.book);
    if (lost.length + areas.length === 0) return;
    this.#hall.map?.map.changed(lost);
    this.#hall.shop?.renderChoice();
    this.#hall.told.lost?.(lost.map((o) => model.chart.label(o)));
    void this.#hall.shop?.sayLost?.(lost, areas, false);
  }

  async #refused(error: unknown, request: HoldRequest, again: boolean): Promise<void> {
    const code = error instanceof Problem ? error.code : "";
    if (code === "QUEUE_REQUIRED" && !again) {
      dropAccess(this.#hall.id);
      return this.#hall.lineFirst(request);
    }
    if (code === "UNAUTHENTICATED") return this.#hall.signedOut(request);
    if (code === "SEAT_TAKEN") return this.#taken(error as Problem);
    if (code === "SESSION_REPLACED") {
      return this.#hall.shop?.say("warn", t("sessionReplaced"), { label: t("takeBack"), run: () => (dropAccess(this.#hall.id), this.#hall.lineFirst(request)) });
    }
    if (code === "PRICE_CHANGED") await this.#hall.refresh();
    await this.#explain(error, request);
  }

  /** A refusal in words, what it is about on the map, and the way on as a button. */
  async #explain(error: unknown, request: HoldRequest = {}): Promise<void> {
    const words = await import("./refusals.ts").catch(() => null); // without a network it may not come, and that is what is to be said
    const { model, map, shop } = this.#hall;
    if (!model || !shop) return;
    const { text, seats = [], drop = [], offer } = words ? words.refusal(error, model, request) : { text: explain(error) };
    for (const o of drop) model.book.chosen.delete(o);
    if (drop.length > 0) {
      this.#touched(drop);
      shop.renderChoice();
    }
    if (seats.length > 0) map?.look(seats);
    const code = error instanceof Problem ? error.code : "";
    this.#hall.told.trouble?.(error);
    const bad = code === "OFFLINE" || code === "INTERNAL" || code === "";
    shop.say(bad ? "bad" : "warn", text, offer && (await this.#offered(offer)));
  }

  async #offered({ label, request, need, pay }: { label: string; request?: HoldRequest; need?: boolean; pay?: boolean }): Promise<Action | undefined> {
    if (pay) {
      await this.look().catch(() => {});
      return this.#hold ? this.#hall.till.goOn(this.#hold, label) : undefined;
    }
    const run = (): void => {
      if (need) this.#hall.shop?.needAccessible();
      if (request) void this.place(request);
    };
    return { label, run };
  }

  #taken(problem: Problem): void {
    const model = this.#hall.model!, { book } = model;
    const named = new Set(Array.isArray(problem.details.seats) ? problem.details.seats.map(String) : []);
    const lost = [...book.chosen].filter((o) => named.has(model.chart.label(o)));
    const changed = book.apply(lost.filter((o) => book.status[o] === 0).map((ordinal) => ({ ordinal, status: HELD })));
    for (const o of lost) book.chosen.delete(o);
    this.#touched([...changed, ...lost]);
    this.#hall.shop?.renderChoice();
    this.#hall.told.lost?.(lost.map((o) => model.chart.label(o)));
    void this.#hall.shop?.sayLost?.(lost, [], true);
  }

  extend(): Promise<void> {
    return this.#act(() => this.#extend());
  }

  release(): Promise<void> {
    return this.#act(() => this.#release());
  }

  checkout(): Promise<void> {
    return this.#act(() => this.#checkout());
  }

  /** What is told of the hold meanwhile is of this very act. */
  async #act(act: () => Promise<void>): Promise<void> {
    this.#acting = true;
    await act().finally(() => (this.#acting = false));
  }

  async #extend(): Promise<void> {
    const before = Date.parse(this.#hold!.expiresAt), { shop } = this.#hall;
    try {
      const hold = await extendHold(this.#hold!.holdId);
      const after = Date.parse(hold.expiresAt);
      this.#news++;
      this.#hold = hold;
      shop?.setHold(hold);
      shop?.say(after > before ? "ok" : "warn", after > before ? t("extended", { time: ownTime(after) }) : t("extendLimit"));
    } catch (error) {
      await this.#trouble(error);
    }
  }

  async #release(): Promise<void> {
    try {
      await releaseHold(this.#hold!.holdId);
      this.set(null);
      this.#hall.shop?.say("ok", t("released"));
    } catch (error) {
      await this.#trouble(error);
    }
  }

  async #checkout(): Promise<void> {
    const paying = this.#hall.till.begin(); // before any wait: it may open a window
    try {
      paying.go(await makeOrder(this.#hold!.holdId));
    } catch (error) {
      paying.stop();
      await this.#trouble(error);
    }
  }

  async #trouble(error: unknown): Promise<void> {
    const code = error instanceof Problem ? error.code : "";
    if (code === "UNAUTHENTICATED") return this.#hall.signedOut();
    if (code === "HOLD_GONE" || code === "NOT_FOUND") return this.#sayOver();
    await this.#explain(error);
  }

  /** The countdown reached zero: the server has the last word, another tab may have extended the hold. */
  async over(): Promise<void> {
    try {
      const hold = await myHold(this.#hall.id);
      if (hold?.state === "PAYING") return; // the payment decides; the panel leads to it
      if (hold && Date.parse(hold.expiresAt) > clock.now()) {
        this.#hall.shop?.setHold(null); // a new panel: the old one has stopped
        return this.set(hold);
      }
    } catch {
      if (this.#hold?.state === "PAYING") return; // nobody here knows how it ended
    }
    this.#sayOver();
  }

  /** The hold has ended by itself: the fan is told, and may ask for the same again with one press. */
  #sayOver(): void {
    const { model, shop } = this.#hall, hold = this.#hold;
    this.set(null);
    if (!hold || !model) return shop?.say("warn", t("holdOver"));
    const { seats, areas } = model.sorted(hold.seats.map((s) => s.ordinal));
    const request: HoldRequest = {
      ...(seats.length > 0 && { seatIds: seats.map((o) => model.chart.label(o)) }),
      ...(areas.size > 0 && { areas: [...areas].map(([section, quantity]) => ({ section: model.chart.sections[section].label, quantity })) }),
      ...(seats.some((o) => model.chart.flags[o] !== 0) && { accessible: true }),
      expectedTotal: hold.total,
    };
    shop?.say("warn", t("holdOver"), { label: t("holdAgain"), run: () => void this.place(request) });
  }
}

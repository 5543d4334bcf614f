import { json } from "../api/client.ts";
import { Problem } from "../api/problem.ts";
import type { EventDetail } from "../api/types.ts";
import { access, dropAccess, keptTicket } from "../auth/kept.ts";
import { session, sessionToken, signOut } from "../auth/session.ts";
import { about, clock } from "../base/clock.ts";
import { h } from "../base/dom.ts";
import { shortDate } from "../i18n/format.ts";
import type { Ranked } from "../room/lanes.ts";
import { place } from "../room/place.ts";
import { nextLook } from "../room/poll.ts";
import { rankOf } from "../room/rank.ts";
import { readTicket } from "../room/ticket.ts";
import { explain, nothingTold } from "../room/told.ts";
import { type Doing, rounded, type View, viewOf, waitOf } from "../room/view.ts";
import { Bell } from "./bell.ts";
import { Board, type Scene } from "./board.ts";
import type { Known } from "./later.ts";
import { Source } from "./source.ts";
import { clockTime, count, plural, t } from "./words.ts";

const DETAIL_AGAIN = 8_000; // ms until the event is asked for again after a failure
const PRESENT = 60_000; // ms after a press or a key for which somebody is taken to be there
const NEAR = 50; // people ahead: the line is looked at as often as it allows
const NEAR_VIEWS: ReadonlySet<string> = new Set<View["name"]>(["place", "paused", "turn", "claiming"]);
const OLD = 45_000; // ms after which a document that does not change is called old
const EARLIEST = 1_000; // ms between two looks, whoever wakes the page up

const acting = (): Promise<typeof import("./acting.ts")> => import("./acting.ts");

/** Where the waiting room is: on a page of its own, or in a part of another. */
export interface Place {
  readonly board: HTMLElement;
  /** The fan has pressed already that they want a place. */
  readonly enter: boolean;
  /** Shows what the event is. */
  head(event: EventDetail): void;
  /** There is no such event: content says so. */
  gone(...content: HTMLElement[]): void;
  /** The line in few words: a page's title. */
  title(text: string): void;
  /** A way to the event's seats. */
  toEvent(label: string): HTMLElement;
  /** The fan was let in. */
  inside(): void;
  /** Once the line is shown: the rest of the page. */
  later?(known: () => Known): void;
}

/** The waiting room of one event. It looks at the one public document, and asks for something of its own only when the fan acts. */
export class LinePage {
  readonly #id: string;
  readonly #place: Place;
  readonly #off = new AbortController();
  #interval: ReturnType<typeof setInterval> | undefined;
  readonly #source: Source;
  readonly #bell = new Bell();
  readonly #board: Board;
  #detail: EventDetail | null = null;
  #ticket: Ranked | null = null;
  #token = "";
  #seed = ""; // that the rank follows from
  #doing: Doing = "nothing";
  #trouble = "";
  #code = "";
  #codeBad = false;
  #proving = false;
  #memory = nothingTold;
  #view: View = { name: "loading" };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #knock: ReturnType<typeof setTimeout> | undefined;
  #lookedAt = -Infinity;
  #presentAt = performance.now();
  #form: { element: HTMLElement; key: string } | null = null;

  constructor(id: string, room: Place) {
    this.#id = id;
    this.#place = room;
    this.#source = new Source(id);
    this.#board = new Board(room.board, this.#bell, {
      toEvent: room.toEvent,
      enter: (code) => void this.#enter(code), goIn: () => void this.#claim(), signIn: () => this.#signInForm(),
      bringOver: () => this.#prove(), again: () => void this.#enter(""),
    });
  }

  start(): void {
    const { signal } = this.#off;
    this.#bell.listen(signal);
    for (const name of ["pointerdown", "keydown"]) addEventListener(name, () => (this.#presentAt = performance.now()), { signal });
    for (const name of ["online", "offline", "pageshow", "storage"]) addEventListener(name, () => this.#wake(), { signal });
    document.addEventListener("visibilitychange", () => !document.hidden && this.#wake(), { signal });
    this.#interval = setInterval(() => this.#show(), 1000);
    void this.#loadDetail();
    this.#readTicket();
    void this.#look();
    if (this.#place.enter && session() && !this.#ticket) void this.#enter("");
    setTimeout(() => this.#place.later?.(() => this.#standing()), 200);
  }

  /** Looks and acts no more. What the place in line is, the line knows. */
  stop(): void {
    this.#off.abort();
    clearInterval(this.#interval);
    clearTimeout(this.#timer);
    clearTimeout(this.#knock);
    this.#show = () => {};
    this.#look = async () => {};
  }

  /** What the proof needs to know. */
  #standing(): Known {
    return { document: this.#source.document, ticket: this.#ticket };
  }

  // ---- what is known

  async #loadDetail(): Promise<void> {
    try {
      this.#detail = await json<EventDetail>(`/v1/events/${encodeURIComponent(this.#id)}`);
    } catch (error) {
      if (error instanceof Problem && (error.code === "NOT_FOUND" || error.code === "INVALID")) return this.#gone();
      setTimeout(() => this.#off.signal.aborted || void this.#loadDetail(), about(DETAIL_AGAIN));
      return;
    }
    this.#place.head(this.#detail);
    this.#show();
  }

  #gone(): void {
    const { board } = this.#place;
    this.stop();
    board.removeAttribute("aria-busy");
    board.dataset.view = "gone";
    this.#place.gone(h("p", null, t("gone")), h("a", { class: "button", href: "/" }, t("allEvents")));
  }

  #readTicket(): void {
    const token = session() ? keptTicket(this.#id) ?? "" : "";
    if (token === this.#token) return;
    this.#token = token;
    this.#seed = "";
    const ticket = readTicket(token, clock.now());
    this.#ticket = ticket && ticket.event === this.#id ? { ...ticket, rank: "" } : null;
  }

  async #rank(): Promise<void> {
    const d = this.#source.document, ticket = this.#ticket;
    if (!d?.seed || !ticket || ticket.epoch !== d.epoch || this.#seed === d.seed) return;
    const rank = await rankOf(d.seed, ticket.event, ticket.epoch, ticket.pseudonym);
    if (ticket !== this.#ticket) return;
    this.#ticket = { ...ticket, rank };
    this.#seed = d.seed;
  }

  // ---- looking

  /** Something may have changed while nobody looked: the network, the tab, another tab. */
  #wake(): void {
    this.#readTicket();
    if (performance.now() - this.#lookedAt > EARLIEST) void this.#look();
    this.#show();
  }

  #look = async (): Promise<void> => {
    clearTimeout(this.#timer);
    this.#lookedAt = performance.now();
    await this.#source.look();
    await this.#rank();
    const d = this.#source.document, p = d && this.#ticket && place(d, this.#ticket);
    if (d && p) this.#memory = explain(this.#memory, d, p, clock.now());
    this.#show();
    clearTimeout(this.#timer);
    const follows = NEAR_VIEWS.has(this.#view.name), near = (follows && p !== null && p.ahead < NEAR) || (this.#ticket !== null && !d);
    const delay = nextLook({ document: d, now: clock.now(), wait: d && p ? waitOf(d, p) : 0, failures: this.#source.failures, near }, Math.random());
    this.#timer = setTimeout(() => void this.#look(), delay);
  };

  // ---- showing

  #show = (): void => {
    const d = this.#source.document, e = this.#detail, now = clock.now();
    const onSaleAt = Date.parse(e?.onSaleAt ?? d?.onSaleAt ?? "") || 0;
    const view = viewOf({
      now, onSaleAt, document: d, ticket: this.#ticket, doing: this.#doing, event: e?.state ?? null,
      signedIn: session() !== null && !this.#proving, inside: access(this.#id) !== null,
    });
    const before = this.#view.name;
    this.#view = view;
    const from = Date.parse(e?.rules.queue?.entriesFrom ?? "");
    const scene: Scene = {
      view, now, onSaleAt, document: d, late: this.#ticket?.class === "late", seats: e?.capacity ?? 0, most: e?.rules.maxPerAccount ?? 0,
      opensText: e ? shortDate(e.onSaleAt, e.timeZone) : "", codes: (e?.rules.queue?.tiers?.length ?? 0) > 1, code: this.#code, codeBad: this.#codeBad, proving: this.#proving,
      entriesFrom: e && from > now ? t("entriesFrom", { date: shortDate(e.rules.queue!.entriesFrom!, e.timeZone) }) : "",
      why: this.#memory.why, trouble: this.#said(now), stale: this.#stale(now), seenAt: this.#source.seenAt,
    };
    this.#board.show(scene);
    this.#place.title(this.#title(view));
    if (view.name === "turn" && before !== "turn") this.#called();
  };

  /** What keeps the page from knowing, or from what it was asked to do, in words; "" when nothing does. */
  #said(now: number): string {
    const { failures, seenAt, document: d } = this.#source;
    if (this.#view.name === "closed") return this.#trouble; // it is over, whoever answers
    if (this.#cutOff) return t("offline", { time: clockTime(seenAt) }); // and nothing else can work
    if (this.#trouble) return this.#trouble;
    if (this.#stale(now)) return t("old", { time: clockTime(d!.time) });
    return failures > 1 ? t("failed") : "";
  }

  get #cutOff(): boolean {
    const { failures, seenAt } = this.#source;
    return (failures > 1 || !navigator.onLine) && seenAt > 0;
  }

  /** Whether what is shown is not of now. */
  #stale(now: number): boolean {
    const d = this.#source.document;
    return this.#cutOff || (d?.phase === "open" && now - d.time > OLD && this.#view.name === "place");
  }

  #title(view: View): string {
    const name = this.#detail?.title ?? "Plateia";
    if (view.name === "turn") return `● ${t("turnNow")} · ${name}`;
    if (view.name !== "place") return `${name} · Plateia`;
    const ahead = rounded(view.place.ahead, view.place.standardError);
    return ahead > 0 ? `${count(ahead)} ${plural("ahead", ahead)} · ${name}` : `${t("next")} · ${name}`;
  }

  /** The turn has come: whoever is at the page goes in at once; who is elsewhere hears it, and has the whole window. */
  #called(): void {
    if (this.#doing !== "nothing") return;
    const there = !document.hidden && performance.now() - this.#presentAt < PRESENT;
    if (there) return void this.#claim();
    this.#bell.ring();
    const go = document.getElementById("go-in");
    if (document.activeElement === document.body && (parent === window || document.hasFocus())) go?.focus(); // a frame takes it from nobody
  }

  // ---- acting

  #signInForm(): HTMLElement {
    const key = this.#proving ? "prove" : "door";
    if (this.#form?.key === key) return this.#form.element;
    const element = h("div", { class: "door", "aria-busy": "true" }, h("div", { class: "bone" }));
    this.#form = { element, key };
    const title = t(this.#proving ? "proveAgain" : "lineDoor");
    const load = (): void => void import("../ui/sign-in.ts").then(({ signInForm }) => {
      element.removeAttribute("aria-busy");
      element.replaceChildren(signInForm(title, t("lineDoorLead"), () => void this.#signedIn(), session()?.account.email));
    }, () => setTimeout(load, DETAIL_AGAIN));
    load();
    return element;
  }

  async #signedIn(): Promise<void> {
    this.#form = null;
    this.#proving = false;
    this.#readTicket();
    await this.#enter(this.#code);
  }

  /** Asks for a fresh sign-in: the other way to prove a person, and the way to bring a place to this device. */
  #prove(): void {
    this.#form = null;
    this.#proving = true;
    this.#doing = "nothing";
    this.#show();
  }

  async #enter(code: string): Promise<void> {
    const bearer = sessionToken();
    if (this.#doing === "entering") return;
    if (!bearer) return this.#show();
    this.#code = code;
    this.#codeBad = false;
    this.#set("entering", "");
    const done = await acting().then((a) => a.enter(this.#id, bearer, code)).catch(() => ({ kind: "later", after: 2000 }) as const);
    switch (done.kind) {
      case "in":
        this.#readTicket();
        this.#set("nothing", "");
        return void this.#look();
      case "code":
        this.#codeBad = true;
        return this.#set("nothing", "");
      case "elsewhere": return this.#set("elsewhere", "");
      case "prove": return this.#prove();
      case "signed-out": return this.#signedOut();
      case "closed":
        void this.#loadDetail();
        this.#set("nothing", t("overLead_ended"));
        return void this.#look();
      case "later":
        this.#set("nothing", t("failed"));
        clearTimeout(this.#knock);
        this.#knock = setTimeout(() => void this.#enter(code), about(done.after));
    }
  }

  async #claim(): Promise<void> {
    const bearer = sessionToken(), token = this.#token;
    if (this.#doing === "claiming" || !bearer || !token) return;
    clearTimeout(this.#knock);
    if (this.#doing !== "moment") this.#set("claiming", "");
    const done = await acting().then((a) => a.redeem(this.#id, token, bearer)).catch(() => ({ kind: "later", after: 2000 }) as const);
    switch (done.kind) {
      case "in": return this.#place.inside();
      case "elsewhere": return this.#set("elsewhere", "");
      case "signed-out": return this.#signedOut();
      case "moment":
      case "later":
      case "closed": // the next document knows more
        if (done.kind !== "moment") void this.#look();
        this.#set("moment", done.kind === "later" ? t("failed") : "");
        this.#knock = setTimeout(() => this.#view.name === "turn" ? void this.#claim() : this.#set("nothing", ""), about(done.after));
    }
  }

  #signedOut(): void {
    signOut();
    dropAccess(this.#id);
    this.#readTicket();
    this.#set("nothing", "");
  }

  #set(doing: Doing, trouble: string): void {
    this.#doing = doing;
    this.#trouble = trouble;
    this.#show();
  }
}


import { announce, h, icon, icons } from "../base/dom.ts";
import type { LineDocument } from "../room/document.ts";
import type { Place } from "../room/place.ts";
import { chance, rounded, type View } from "../room/view.ts";
import type { Why } from "../room/told.ts";
import type { Bell } from "./bell.ts";
import { clockTime, count, countdown, exactTime, inWords, percentOf, plural, rangeText, spanText, t } from "./words.ts";

/** What the board shows beside the view. Instants are ms of the server's clock. */
export interface Scene {
  view: View;
  now: number;
  onSaleAt: number;
  opensText: string; // the on-sale instant in words
  document: LineDocument | null;
  late: boolean; // the ticket is of a late entry
  seats: number;
  most: number; // seats per person
  codes: boolean; // there are tiers that need a code
  code: string; // the presale code that was tried, or ""
  codeBad: boolean; // it does not work
  proving: boolean; // a sign-in is asked for once more
  entriesFrom: string; // in words when it is still to come, else ""
  why: Why | null;
  trouble: string;
  stale: boolean; // what is shown is from seenAt
  seenAt: number; // when the line was last looked at; 0: never
}

export interface Acts {
  enter(code: string): void;
  goIn(): void;
  signIn(): HTMLElement; // the form, whenever its script is there
  bringOver(): void;
  again(): void;
  toEvent(label: string): HTMLElement;
}

type Paint = (s: Scene) => void;
interface Screen { heading: string; parts: (HTMLElement | null)[]; paint?: Paint; step?: number; alarm?: boolean }

/** Views that follow the line. */
const LIVE: ReadonlySet<string> = new Set<View["name"]>(["entered", "draw", "place", "paused", "missed"]);

/** The card that says where the fan stands. It is built anew when the view is another one; else only its words change. */
export class Board {
  readonly #root: HTMLElement;
  readonly #acts: Acts;
  readonly #bell: Bell;
  #shown = "";
  #paint: Paint = () => {};
  #said = Infinity; // people ahead when it was last read out

  constructor(root: HTMLElement, bell: Bell, acts: Acts) {
    this.#root = root;
    this.#bell = bell;
    this.#acts = acts;
  }

  show(s: Scene): void {
    const key = keyOf(s);
    if (key !== this.#shown) this.#build(s, key);
    this.#paint(s);
  }

  #build(s: Scene, key: string): void {
    const first = this.#shown === "";
    this.#shown = key;
    const { heading, parts, paint, step, alarm } = this.#screen(s);
    const title = h("h2", { id: "board-title", tabindex: "-1" }, heading);
    const message = h("div", null), trouble = h("div", null), checked = h("p", { class: "fine soft" });
    const had = this.#root.contains(document.activeElement);
    this.#root.dataset.view = s.view.name;
    this.#root.classList.toggle("alarm", alarm === true);
    this.#root.setAttribute("aria-labelledby", "board-title");
    this.#root.removeAttribute("aria-busy");
    this.#root.replaceChildren(...[step === undefined ? null : steps(step, s.late), title, message, trouble, ...parts, checked].filter((p) => p !== null));
    if (had) title.focus({ preventScroll: true });
    let said = "\n";
    this.#paint = (now) => {
      paint?.(now);
      this.#root.classList.toggle("stale", now.stale);
      set(checked, LIVE.has(now.view.name) && now.seenAt > 0 ? t("checked", { time: exactTime(now.seenAt) }) : "");
      const words = `${messageOf(now)}\n${now.trouble}`;
      if (words === said) return;
      said = words;
      message.replaceChildren(...messages(now));
      trouble.replaceChildren(...(now.trouble ? [note("warn", now.trouble)] : []));
    };
    if (!first && s.view.name !== "sign-in") announce(heading);
  }

  #screen(s: Scene): Screen {
    switch (s.view.name) {
      case "loading": return { heading: t("looking"), parts: [track(), h("p", { class: "bone line" }), h("p", { class: "bone line" })] };
      case "entering": return { heading: t("entering"), parts: [track()] };
      case "claiming": return { heading: t("going"), parts: [track()], step: 3 };
      case "sign-in": return this.#signIn(s);
      case "invite": return this.#invite(s);
      case "entered": return this.#entered();
      case "draw": return { heading: s.late ? t("lateTitle") : t("drawTitle"), parts: [track(), lead(s.late ? t("unknownTime") : t("drawLead")), kept()], step: 1 };
      case "place": return this.#place();
      case "paused": return this.#paused(s);
      case "turn": return this.#turn(s);
      case "missed": return { heading: t("missedTitle"), parts: [lead(t("missedLead")), kept(), this.#sound()], step: 2 };
      case "inside": return { heading: t("insideTitle"), parts: [this.#acts.toEvent(t("goIn"))], step: 3 };
      case "restarted": return { heading: t("restartedTitle"), parts: [lead(t("restartedLead")), button(t(s.now < s.onSaleAt ? "lineInvite" : "lineJoin"), () => this.#acts.again())] };
      case "elsewhere": return { heading: t("elsewhereTitle"), parts: [lead(t("elsewhereLead")), button(t("bringOver"), () => this.#acts.bringOver())] };
      case "closed": return this.#closed(s.view.why);
    }
  }

  #signIn(s: Scene): Screen {
    if (s.proving) return { heading: t("proveTitle"), parts: [lead(t("proveLead")), this.#acts.signIn()] };
    const opens = opening();
    return { heading: s.now < s.onSaleAt ? t("lineInvite") : t("lineJoin"), parts: [opens.element, lead(t(s.now < s.onSaleAt ? "lineInviteLead" : "lineJoinLead")), this.#acts.signIn()], paint: opens.paint };
  }

  #invite(s: Scene): Screen {
    const late = s.view.name === "invite" && s.view.late, opens = opening();
    if (s.entriesFrom) return { heading: t("lineInvite"), parts: [opens.element, h("p", null, h("b", null, s.entriesFrom)), lead(t("lineInviteLead"))], paint: opens.paint };
    const code = h("input", { class: "input", id: "presale", name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", maxlength: 64, value: s.code, "aria-invalid": s.codeBad ? "true" : null, "aria-describedby": "bad-code" });
    const wrong = h("p", { class: "field-error", id: "bad-code" }, s.codeBad && t("lineCodeBad"));
    if (s.codeBad) setTimeout(() => code.focus()); // so the words are read out, too
    const enter = (e: Event): void => {
      e.preventDefault();
      this.#acts.enter(late ? "" : code.value.trim()); // who is late has no field to take a bad one out of
    };
    const form = h("form", { class: "box", onsubmit: enter },
      s.codes && !late && h("div", { class: "field" }, h("label", { for: "presale" }, t("lineCode")), code, wrong),
      h("button", { class: "button wide", id: "enter" }, t(late ? "lineJoin" : "lineInvite")));
    return { heading: t(late ? "lineJoin" : "lineInvite"), parts: [opens.element, lead(t(late ? "lineJoinLead" : "lineInviteLead")), form], paint: opens.paint };
  }

  #entered(): Screen {
    const opens = opening(), odds = h("p", null);
    const paint: Paint = (s) => {
      opens.paint(s);
      set(odds, oddsText(s));
    };
    return { heading: t("inTitle"), parts: [opens.element, lead(t("inLead")), odds, kept(), this.#sound()], paint, step: 0 };
  }

  #place(): Screen {
    const ahead = aheadOfYou(), secret = h("p", { class: "small soft" }), way = track(0);
    const range = h("b", null), between = h("p", { class: "small soft" }), why = h("div", null), after = h("p", { class: "soft" });
    let reason: Why | null = null;
    const paint: Paint = (s) => {
      if (s.view.name !== "place") return;
      const { place: p, done } = s.view, seen = s.stale ? s.seenAt : s.now; // what is shown of then stays of then
      ahead.paint(p);
      set(secret, s.document && !s.document.verifiable && s.document.line.tiers.some((m) => m > 0) ? t("notPublic") : "");
      fillTrack(way, done);
      set(range, whenText(p.low, p.high));
      set(between, p.high > 60 ? betweenText(seen + p.low * 1000, seen + p.high * 1000) : "");
      set(after, t("nextLead", { time: spanText((s.document?.claimWindow ?? 600) * 1000) }));
      if (s.why !== reason) why.replaceChildren(...(s.why ? [note("warn", whyText(s.why))] : []));
      reason = s.why;
      this.#readOut(rounded(p.ahead, p.standardError));
    };
    return {
      heading: t("lateTitle"), step: 2, paint,
      parts: [
        h("div", { class: "standing" }, ...ahead.parts, secret), way,
        h("div", { class: "when" }, h("span", { class: "soft" }, t("yourTurn")), range, between), why,
        h("div", { class: "standing" }, h("h3", null, t("nextTitle")), after), kept(), this.#sound(),
      ],
    };
  }

  /** Places are read out when they have halved: often enough to know, and no chatter. */
  #readOut(ahead: number): void {
    if (ahead > this.#said / 2) return;
    this.#said = ahead;
    announce(ahead === 0 ? t("next") : `${count(ahead)} ${plural("ahead", ahead)}`);
  }

  #paused({ view }: Scene): Screen {
    const { left, place: p } = view as View & { name: "paused" }, ahead = p && aheadOfYou();
    const paint: Paint = ({ view: now }) => {
      if (now.name === "paused" && now.place) ahead?.paint(now.place);
    };
    const why = lead(left > 0 ? t("pausedOpen", { time: spanText(left, Math.floor) }) : t("linePausedLead"));
    return { heading: t("pausedLine"), parts: [ahead && h("div", { class: "standing" }, ...ahead.parts), why, kept(), this.#sound()], paint, step: 2 };
  }

  #turn(s: Scene): Screen {
    const left = h("b", { class: "num" }), clock = h("p", { class: "deadline" }, h("span", null, t("turnLeft")), left);
    const { second, moment } = s.view as View & { name: "turn" };
    const paint: Paint = ({ view }) => {
      if (view.name === "turn") set(left, countdown(view.left));
    };
    if (moment) return { heading: t("momentTitle"), parts: [track(), lead(t("moment")), clock], paint, step: 3, alarm: true };
    const go = button(t("goIn"), () => this.#acts.goIn());
    go.id = "go-in";
    return { heading: t("turn"), parts: [lead(second ? t("turnSecond") : t("turnGoIn")), clock, go], paint, step: 3, alarm: true };
  }

  #closed(why: "soldout" | "ended" | "cancelled"): Screen {
    const event = this.#acts.toEvent(t("toEvent")), others = link("/", t("allEvents")), ways = why === "soldout" ? [event, others] : [others, event];
    ways[1]!.classList.add("quiet");
    return { heading: t(`over_${why}`), parts: [lead(t(`overLead_${why}`)), ...ways] };
  }

  /** A switch for the sound, with what is still needed for it. */
  #sound(): HTMLElement {
    const box = h("input", { type: "checkbox", id: "sound", checked: this.#bell.on, onchange: () => {
      this.#bell.on = box.checked;
      if (box.checked) this.#bell.ring();
    } });
    const hint = h("span", { class: "small soft" }, t("soundTap"));
    this.#bell.allowed = () => hint.remove();
    return h("label", { class: "sound", for: "sound" }, box, t("sound"), !this.#bell.ready && hint);
  }
}

/** What makes a view another one: its words are only painted anew else. */
function keyOf({ view, entriesFrom, codes, late, now, onSaleAt, proving }: Scene): string {
  const more = view.name === "turn" ? `${view.second}${view.moment}` : view.name === "invite" ? view.late : view.name === "closed" ? view.why : view.name === "paused" ? `${view.left > 0}${view.place !== null}` : "";
  return [view.name, more, entriesFrom, codes, late, view.name === "sign-in" && now < onSaleAt, proving].join();
}

const set = (el: HTMLElement, text: string): void => {
  if (el.textContent !== text) el.textContent = text;
  el.hidden = text === "";
};

const lead = (text: string): HTMLElement => h("p", { class: "soft" }, text);
const kept = (): HTMLElement => h("p", { class: "kept" }, icon(icons.check), t("kept"));
const button = (text: string, run: () => void): HTMLElement => h("button", { class: "button wide", type: "button", onclick: run }, text);
const link = (href: string, text: string): HTMLElement => h("a", { class: "button wide", href }, text);
const note = (tone: string, ...lines: string[]): HTMLElement => h("div", { class: `notice ${tone}` }, icon(icons.alert), h("div", null, ...lines.map((line) => h("p", null, line))));

/** How many people are ahead, and how well that is known. */
function aheadOfYou(): { parts: HTMLElement[]; paint(p: Place): void } {
  const about = h("span", { class: "soft" }), n = h("b", { class: "ahead" }), of = h("span", null), exact = h("p", { class: "small soft" });
  return { parts: [h("p", null, about, " ", n, " ", of), exact], paint: (p) => {
    const ahead = rounded(p.ahead, p.standardError), sure = p.standardError < 1;
    set(about, sure ? "" : t("about"));
    set(n, ahead === 0 ? t("next") : count(ahead));
    set(of, ahead === 0 ? "" : plural("ahead", ahead));
    set(exact, sure ? "" : t("exact", { n: count(roughly(p.standardError)) }));
  } };
}

/** A bar; without a share one that only says that something is going on. */
function track(done?: number): HTMLElement {
  const bar = h("i", null);
  return done === undefined
    ? h("div", { class: "track unsure", "aria-hidden": "true" }, bar)
    : h("div", { class: "track", role: "progressbar", "aria-label": t("way"), "aria-valuemin": 0, "aria-valuemax": 100 }, bar);
}

function fillTrack(bar: HTMLElement, done: number): void {
  bar.setAttribute("aria-valuenow", String(Math.round(done * 100)));
  (bar.firstChild as HTMLElement).style.inlineSize = `${Math.max(1.5, done * 100)}%`;
}

function steps(now: number, late: boolean): HTMLElement {
  const names = late ? [t("stepEntered"), t("stepLine"), t("stepShop")] : [t("stepEntered"), t("stepDraw"), t("stepLine"), t("stepShop")];
  const at = late ? Math.max(now - 1, 0) : now;
  return h("ol", { class: "steps", "aria-label": t("steps") }, ...names.map((name, i) =>
    h("li", { class: i < at || (i === 0 && at === 0) ? "done" : i === at ? "now" : "", "aria-current": i === at ? "step" : null }, name)));
}

/** The countdown to the sale. */
function opening(): { element: HTMLElement; paint: Paint } {
  const left = h("b", { class: "num", role: "timer" }), date = h("span", { class: "small soft" });
  const element = h("div", { class: "opens" }, h("span", { class: "soft" }, t("opensIn")), left, date);
  return { element, paint: (s) => {
    element.hidden = s.now >= s.onSaleAt;
    set(left, countdown(s.onSaleAt - s.now));
    set(date, t("opensAt", { date: s.opensText }));
  } };
}

function oddsText({ document: d, seats, most }: Scene): string {
  const entered = d ? d.line.tiers.reduce((sum, n) => sum + n, 0) : 0;
  const least = chance(entered, seats, most);
  if (entered === 0) return "";
  const soFar = plural("soFar", entered);
  if (least === 0) return soFar;
  return `${soFar} ${least >= 1 ? t("oddsAll", { seats: count(seats) }) : t("odds", { seats: count(seats), most: count(most), chance: percentOf(least) })}`;
}

/** A number above this one with two digits that count. */
function roughly(n: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(n)) - 1);
  return Math.ceil(n / step) * step;
}

/** When the turn comes: a range, never a promise. low, high: s. */
function whenText(low: number, high: number): string {
  if (high === 0) return t("unknownTime");
  return high <= 60 ? t("inSoon") : t("inRange", { span: rangeText(low * 1000, high * 1000) });
}

/** The same as times of day, ms. */
function betweenText(low: number, high: number): string {
  const from = clockTime(low), to = clockTime(high);
  return from === to ? t("around", { time: to }) : t("between", { low: from, high: to });
}

const whyText = (why: Why): string => (why.cause === "paused" ? t("whyPaused", { time: spanText(why.pausedFor) }) : t("whySlower"));

const messageOf = ({ document: d }: Scene): string => (d?.message ? inWords(d.message.text) + d.message.nextUpdate : "");

/** What the operator has to say, and when more is known. */
function messages({ document: d }: Scene): HTMLElement[] {
  const text = d?.message ? inWords(d.message.text) : "";
  if (!d?.message || !text) return [];
  const at = Date.parse(d.message.nextUpdate);
  return [note("", text, ...(at > 0 ? [t("nextUpdate", { time: clockTime(at) })] : []))]; // an operator may leave the full stop out
}

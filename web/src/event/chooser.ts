import { clock } from "../base/clock.ts";
import { announce, h } from "../base/dom.ts";
import { LOOK } from "../map/book.ts";
import { t } from "./words.ts";
import { type Action, notice, type Tone } from "../ui/notice.ts";
import { AccessSwitch } from "./access-switch.ts";
import { Areas, sayPlaces } from "./area-stepper.ts";
import { bestForm, type BestQuery } from "./best-form.ts";
import { Choice } from "./choice.ts";
import { ListFold } from "./list-fold.ts";
import type { EventModel } from "./model.ts";
import { priceFilter } from "./prices.ts";

export interface ChooserActions {
  find(query: BestQuery): Promise<void>;
  holdChoice(): Promise<void>;
  filter(hidden: number[]): void;
  looking(section: number): void;
  point(o: number | null): void;
  reveal(o: number): void;
  /** The fan's own choice changed these seats. */
  chose(ordinals: number[]): void;
}

/** The panel in which seats are chosen. It asks nothing of the page around it, so it works in a shadow root too. */
export class Chooser {
  readonly element = h("div", { class: "box" });
  /** Where a hold is shown. */
  readonly holdPlace = h("div", { class: "box" });
  readonly #model: EventModel;
  readonly #actions: ChooserActions;
  readonly #notices = h("div", { class: "box" });
  readonly #access: AccessSwitch;
  readonly #best: HTMLElement;
  readonly #areas: Areas;
  readonly #list: ListFold;
  readonly #choice: Choice;

  constructor(model: EventModel, actions: ChooserActions) {
    this.#model = model;
    this.#actions = actions;
    const places = (section: number, n: number): void => this.choosePlaces(section, n);
    const kept = model.keeps(clock.now());
    this.#access = new AccessSwitch(kept, !model.book.kept, (on) => this.#needs(on));
    this.#best = bestForm(model, () => this.#access.on, (query) => actions.find(query));
    this.#areas = new Areas(model, places);
    this.#list = new ListFold((Picker) => new Picker(model, (o) => this.#toggleFromList(o), places, (section) => actions.looking(section)));
    this.#choice = new Choice(model, {
      toggle: (o) => this.toggle(o), places, hold: () => actions.holdChoice(), undo: () => this.undo(), point: (o) => actions.point(o),
    });
    this.element.append(this.#notices, this.holdPlace, priceFilter(model, (hidden) => actions.filter(hidden)),
      this.#best, this.#areas.element, this.#list.element, this.#access.element, this.#choice.element);
  }

  /** Whether the fan has said that they need an accessible place, or has one. */
  get accessible(): boolean {
    const { book, chart } = this.#model;
    return !this.#access.element.hidden && (this.#access.on || [...book.chosen].some((o) => chart.flags[o] !== 0));
  }

  /** The fan says so, by another button than the switch. */
  needAccessible(): void {
    this.#access.turnOn();
  }

  #needs(on: boolean): void {
    const { book, chart } = this.#model;
    book.kept = !on;
    const all = Array.from(chart.flags.keys()).filter((o) => chart.flags[o] !== 0);
    const left = on ? [] : all.filter((o) => book.chosen.has(o) && !book.choosable(o));
    for (const o of left) book.chosen.delete(o);
    this.#actions.chose(all);
    this.#list.changed(all);
    this.#choice.render();
  }

  stop(): void {
    this.#list.stop();
  }

  /** Seats changed on the map: lists and choice follow. */
  changed(ordinals: readonly number[]): void {
    this.#list.changed(ordinals);
    this.#areas.update();
  }

  looking(section: number): void {
    this.#list.show(section);
  }

  /** While there is a hold, seats are exchanged one by one: nothing is looked for. */
  showBest(shown: boolean): void {
    this.#best.hidden = !shown;
  }

  renderChoice(): void {
    this.#areas.update();
    this.#list.placesChanged();
    this.#choice.render();
  }

  /** What is chosen in the list is shown on the map. */
  #toggleFromList(o: number): void {
    this.toggle(o);
    if (this.#model.book.chosen.has(o)) this.#actions.reveal(o);
  }

  /** Chooses a seat or takes it back. */
  toggle(o: number): void {
    const { book, max } = this.#model;
    const name = this.#model.seatName(o);
    if (book.chosen.has(o)) {
      book.chosen.delete(o);
      this.#announce(t("removed", { seat: name }));
    } else if (book.look(o) === LOOK.free && book.keptFrom(o)) {
      return this.say("warn", t("keptAsk", { seat: name }), { label: t("needAccessible"), run: () => (this.needAccessible(), this.toggle(o)) });
    } else if (!book.choosable(o)) {
      return this.#announce(`${name}: ${this.#model.whyNot(o)}`);
    } else if (book.size >= max) {
      return this.say("warn", t("limitReached", { n: max }));
    } else {
      book.chosen.add(o);
      this.#announce(t("added", { seat: name }));
    }
    this.quiet();
    this.#actions.chose([o]);
    this.#list.changed([o]);
    this.renderChoice();
  }

  /** Chooses n places of an area in all, as many as there are and the fan may have. */
  choosePlaces(section: number, n: number): void {
    const { book, max } = this.#model, before = book.places.get(section) ?? 0;
    if (n > before && book.size >= max) return this.say("warn", t("limitReached", { n: max }));
    if (n > book.room(section)) return this.#announce(t("areaFull"));
    this.quiet();
    book.choosePlaces(section, n);
    sayPlaces(this.#model, section, n, this.element);
    this.renderChoice();
  }

  /** The area was tapped on the map: its stepper is where the fan looks next. */
  openArea(section: number): void {
    this.#areas.focus(section);
  }

  undo(): void {
    const touched = this.#model.book.undo();
    this.#actions.chose(touched);
    this.#list.changed(touched);
    this.renderChoice();
  }

  /** Says something where the fan looks; one message at a time. */
  say(tone: Tone, text: string, action?: Action): void {
    const message = notice(tone, text, action);
    this.#notices.replaceChildren(message);
    if (tone !== "bad") this.#announce(text);
    message.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  #announce(text: string): void {
    announce(text, this.element);
  }

  quiet(): void {
    this.#notices.replaceChildren();
  }
}

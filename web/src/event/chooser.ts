import { announce, h } from "../base/dom.ts";
import { LOOK } from "../map/book.ts";
import { choosePlaces, roomIn, undoChoice } from "../map/holding.ts";
import { t } from "./choosing-words.ts";
import { type Action, notice, type Tone } from "../ui/notice.ts";
import { accessSwitch } from "./access-switch.ts";
import { Areas, sayPlaces } from "./area-stepper.ts";
import { bestForm, type BestQuery } from "./best-form.ts";
import { Choice } from "./choice.ts";
import { orderFees } from "./fee-note.ts";
import { FilterSum } from "./filter-sum.ts";
import { ListFold } from "./list-fold.ts";
import type { EventModel } from "./model.ts";
import type { Part } from "./part.ts";
import { priceFilter } from "./prices.ts";
import { sectionFilter } from "./section-filter.ts";

export interface ChooserActions {
  find(query: BestQuery): Promise<void>;
  holdChoice(): Promise<void>;
  looking(section: number): void;
  /** Shows what one sees from a section; without it that is not offered. */
  view?(section: number): void;
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
  readonly #best: Part;
  readonly #sum: FilterSum;
  readonly #parts: Part[];
  readonly #unwatch: () => void;
  readonly #areas: Areas;
  readonly #list: ListFold;
  readonly #choice: Choice;

  constructor(model: EventModel, actions: ChooserActions) {
    this.#model = model;
    this.#actions = actions;
    const places = (section: number, n: number): void => this.choosePlaces(section, n);
    const prices = priceFilter(model), where = sectionFilter(model, (section) => actions.looking(section)), access = accessSwitch(model);
    this.#best = bestForm(model, (query) => this.#find(query));
    this.#sum = new FilterSum(model);
    this.#parts = [prices, where, access, this.#best, this.#sum];
    this.#areas = new Areas(model, places);
    this.#list = new ListFold((Picker) => new Picker(model, (o) => this.#toggleFromList(o), places, (section) => actions.looking(section), actions.view && ((section) => actions.view!(section))));
    this.#choice = new Choice(model, {
      toggle: (o) => this.toggle(o), places, hold: () => actions.holdChoice(), undo: () => this.undo(), point: (o) => actions.point(o),
    });
    this.element.append(this.#notices, this.holdPlace, prices.element,
      h("div", { class: "prices-foot" }, this.#sum.element, h("p", { class: "small soft" }, orderFees(model.detail.rules.fees))), this.#best.element,
      h("section", { class: "sheet box", "aria-label": t("moreFilters") }, where.element, access.element),
      this.#areas.element, this.#list.element, this.#choice.element);
    this.#unwatch = model.filter.watch(() => this.#filtered());
  }

  /** What cannot be found is not asked for: the sum of the filters says so, and the way out. */
  async #find(query: BestQuery): Promise<void> {
    const { book, filter } = this.#model;
    if (!book.known || filter.count > 0 || filter.active.length === 0) return this.#actions.find(query);
    this.#announce(t("nothingFits"));
    this.#sum.element.scrollIntoView({ block: "nearest", behavior: "smooth" });
    this.#sum.element.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
  }

  /** Whether the fan has said that they need an accessible place, or has one. */
  get accessible(): boolean {
    const { book, chart, filter, kept } = this.#model;
    return filter.wishes.accessible === true || (kept && [...book.chosen].some((o) => chart.flags[o] !== 0));
  }

  /** The fan says so, by another button than the switch. */
  needAccessible(): void {
    this.#model.filter.set({ accessible: true });
  }

  /** Lists and choice follow what the fan looks for; a kept seat of somebody who does not need one leaves the choice. */
  #filtered(): void {
    const { book } = this.#model;
    const left = [...book.chosen].filter((o) => book.keptFrom(o) && !book.mine.has(o));
    for (const o of left) book.chosen.delete(o);
    this.#actions.chose(left);
    this.#list.filtered();
    if (left.length > 0) this.#choice.render();
  }

  stop(): void {
    this.#list.stop();
    this.#unwatch();
    for (const part of this.#parts) part.stop();
  }

  /** Seats changed on the map: lists and choice follow. */
  changed(ordinals: readonly number[]): void {
    this.#list.changed(ordinals);
    this.#areas.update();
    this.#sum.changed();
  }

  looking(section: number): void {
    this.#list.show(section);
  }

  /** While there is a hold, seats are exchanged one by one: nothing is looked for. */
  showBest(shown: boolean): void {
    this.#best.element.hidden = !shown;
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
      return this.say("warn", t("keptAsk", { seat: name }), { label: t("needAccessible"), run: () => (this.needAccessible(), this.#toggleFromList(o)) });
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
    if (n > roomIn(book, section)) return this.#announce(t("areaFull"));
    this.quiet();
    choosePlaces(book, section, n);
    sayPlaces(this.#model, section, n, this.element);
    this.renderChoice();
  }

  /** The area was tapped on the map: its stepper is where the fan looks next. */
  openArea(section: number): void {
    this.#areas.focus(section);
  }

  undo(): void {
    const touched = undoChoice(this.#model.book);
    this.#actions.chose(touched);
    this.#list.changed(touched);
    this.renderChoice();
  }

  /**
   * Somebody else has these seats and places of areas, which have left the choice: the fan is told, and offered the nearest
   * like them with one press. wanted: the fan had asked to have them held, so that is what the press asks for too.
   */
  async sayLost(seats: readonly number[], areas: readonly number[], wanted: boolean): Promise<void> {
    const { lostOf } = await import("./lost.ts");
    const { text, instead } = lostOf(this.#model, seats, areas);
    const run = (): void => {
      this.#exchange(instead!.leave, instead!.take);
      if (wanted) void this.#actions.holdChoice();
    };
    this.say("warn", text, instead && { label: instead.label, run });
  }

  #exchange(leave: readonly number[], take: readonly number[]): void {
    const { book } = this.#model;
    for (const o of leave) book.chosen.delete(o);
    const fresh = take.filter((o) => book.choosable(o)); // what has gone meanwhile is not chosen: the choice says what is
    for (const o of fresh) book.chosen.add(o);
    this.quiet();
    this.#actions.chose([...leave, ...fresh]);
    this.#list.changed([...leave, ...fresh]);
    this.renderChoice();
    if (fresh.length > 0) this.#actions.reveal(fresh[0]);
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

import type { Hold } from "../api/types.ts";
import { announce, h } from "../base/dom.ts";
import { t } from "./words.ts";
import { notice, type Tone } from "../ui/notice.ts";
import { bestForm, type BestQuery } from "./best-form.ts";
import { Choice } from "./choice.ts";
import { type HoldActions, HoldPanel } from "./hold-panel.ts";
import { ListPicker } from "./list-picker.ts";
import type { EventModel } from "./model.ts";
import { priceFilter } from "./prices.ts";

export interface ShopActions extends HoldActions {
  find(query: BestQuery): Promise<void>;
  holdChoice(): Promise<void>;
  filter(hidden: number[]): void;
  looking(section: number): void;
  point(o: number | null): void;
  reveal(o: number): void;
  /** The fan's own choice changed these seats. */
  chose(ordinals: number[]): void;
}

/** The panel in which seats are chosen and held. */
export class Shop {
  readonly element = h("div", { class: "box" });
  readonly #model: EventModel;
  readonly #actions: ShopActions;
  readonly #notices = h("div", { class: "box" });
  readonly #holdPlace = h("div", { class: "box" });
  readonly #best: HTMLElement;
  readonly #list: ListPicker;
  readonly #choice: Choice;
  #panel: HoldPanel | null = null;

  constructor(model: EventModel, actions: ShopActions) {
    this.#model = model;
    this.#actions = actions;
    this.#best = bestForm(model, (query) => actions.find(query));
    this.#list = new ListPicker(model, (o) => this.#toggleFromList(o), (section) => actions.looking(section));
    this.#choice = new Choice(model, {
      toggle: (o) => this.toggle(o), hold: () => actions.holdChoice(), undo: () => this.undo(), point: (o) => actions.point(o),
    });
    this.element.append(this.#notices, this.#holdPlace, priceFilter(model, (hidden) => actions.filter(hidden)),
      this.#best, this.#list.element, this.#choice.element);
  }

  stop(): void {
    this.#panel?.stop();
  }

  /** Seats changed on the map: lists and choice follow. */
  changed(ordinals: readonly number[]): void {
    this.#list.changed(ordinals);
  }

  looking(section: number): void {
    this.#list.show(section);
  }

  /** Shows, renews or takes away the hold. */
  setHold(hold: Hold | null): void {
    this.#best.hidden = hold !== null;
    if (hold && this.#panel) this.#panel.update(hold);
    else {
      this.#panel?.stop();
      this.#panel = hold && new HoldPanel(this.#model, hold, this.#actions);
      this.#holdPlace.replaceChildren(...(this.#panel ? [this.#panel.element] : []));
    }
    this.#choice.render();
  }

  focusHold(): void {
    const title = this.#panel?.element.querySelector<HTMLElement>("h2");
    title?.focus({ preventScroll: true });
    title?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  renderChoice(): void {
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
      announce(t("removed", { seat: name }));
    } else if (!book.choosable(o)) {
      return announce(`${name}: ${this.#model.stateName(book.look(o))}`);
    } else if (book.chosen.size >= max) {
      return this.say("warn", t("limitReached", { n: max }));
    } else {
      book.chosen.add(o);
      announce(t("added", { seat: name }));
    }
    this.quiet();
    this.#actions.chose([o]);
    this.#list.changed([o]);
    this.#choice.render();
  }

  undo(): void {
    const touched = this.#model.book.hold([...this.#model.book.mine]);
    this.#actions.chose(touched);
    this.#list.changed(touched);
    this.#choice.render();
  }

  /** Says something where the fan looks; one message at a time. */
  say(tone: Tone, text: string, action?: { label: string; run: () => void }): void {
    const message = notice(tone, text, action);
    this.#notices.replaceChildren(message);
    if (tone !== "bad") announce(text);
    message.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  quiet(): void {
    this.#notices.replaceChildren();
  }
}

import type { Hold } from "../api/types.ts";
import { Chooser, type ChooserActions } from "./chooser.ts";
import { type HoldActions, HoldPanel } from "./hold-panel.ts";
import { keepChoice, recallChoice } from "./kept-choice.ts";
import type { EventModel } from "./model.ts";

export interface ShopActions extends ChooserActions, HoldActions {}

/** The panel in which seats are chosen and held. */
export class Shop extends Chooser {
  readonly #holding: (hold: Hold) => HoldPanel;
  readonly #recall: (hold: string) => void;
  readonly #off = new AbortController();
  #panel: HoldPanel | null = null;
  #held = "";

  constructor(model: EventModel, actions: ShopActions) {
    super(model, actions);
    this.#recall = (hold) => actions.chose(recallChoice(model, hold));
    const keep = (): void => keepChoice(model, this.#held), { signal } = this.#off;
    addEventListener("pagehide", keep, { signal });
    document.addEventListener("visibilitychange", () => document.hidden && keep(), { signal }); // phones throw pages away that nobody sees, and say nothing
    this.#holding = (hold) => new HoldPanel(model, hold, actions);
  }

  override stop(): void {
    super.stop();
    this.#off.abort();
    this.#panel?.stop();
  }

  /** Shows, renews or takes away the hold. */
  setHold(hold: Hold | null): void {
    this.#held = hold?.holdId ?? "";
    this.#recall(this.#held);
    this.showBest(hold === null);
    if (hold && this.#panel) this.#panel.update(hold);
    else {
      this.#panel?.stop();
      this.#panel = hold && this.#holding(hold);
      this.holdPlace.replaceChildren(...(this.#panel ? [this.#panel.element] : []));
    }
    this.renderChoice();
  }

  focusHold(): void {
    const title = this.#panel?.element.querySelector<HTMLElement>("h2");
    title?.focus({ preventScroll: true });
    title?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }
}

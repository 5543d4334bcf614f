import type { Hold } from "../api/types.ts";
import { Chooser, type ChooserActions } from "./chooser.ts";
import { type HoldActions, HoldPanel } from "./hold-panel.ts";
import type { EventModel } from "./model.ts";

export interface ShopActions extends ChooserActions, HoldActions {}

/** The panel in which seats are chosen and held. */
export class Shop extends Chooser {
  readonly #holding: (hold: Hold) => HoldPanel;
  #panel: HoldPanel | null = null;

  constructor(model: EventModel, actions: ShopActions) {
    super(model, actions);
    this.#holding = (hold) => new HoldPanel(model, hold, actions);
  }

  override stop(): void {
    super.stop();
    this.#panel?.stop();
  }

  /** Shows, renews or takes away the hold. */
  setHold(hold: Hold | null): void {
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

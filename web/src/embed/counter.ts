import type { Hold } from "../api/types.ts";
import { h, icon, icons } from "../base/dom.ts";
import { HoldPanel } from "../event/hold-panel.ts";
import type { EventModel } from "../event/model.ts";
import type { Floor } from "../event/setting.ts";
import type { ShopActions } from "../event/shop.ts";
import { type Action, notice, type Tone } from "../ui/notice.ts";
import { t } from "./words.ts";

/** The panel where the seats are chosen elsewhere, on the partner's page: what is held, and what there is to say about it. */
export class Counter implements Floor {
  readonly element = h("div", { class: "box" });
  readonly #notices = h("div", { class: "box" });
  readonly #place = h("div", { class: "box" });
  readonly #make: (hold: Hold) => HoldPanel;
  readonly #back: () => void;
  #panel: HoldPanel | null = null;
  readonly #model: EventModel;
  readonly #actions: ShopActions;
  #needs = false;

  /** back: the fan wants to see the map. */
  constructor(model: EventModel, actions: ShopActions, back: () => void) {
    this.#model = model;
    this.#actions = actions;
    this.#make = (hold) => new HoldPanel(model, hold, actions);
    this.#back = back;
    this.element.append(this.#notices, this.#place);
    this.#idle();
  }

  #idle(): void {
    this.#place.replaceChildren(h("section", { class: "sheet box", "aria-labelledby": "counter-title" },
      h("div", null, h("h2", { id: "counter-title" }, t("counterTitle")), h("p", { class: "small soft" }, t("counterLead"))),
      h("button", { class: "button quiet", type: "button", onclick: this.#back }, icon(icons.left), t("counterBack"))));
  }

  /** Seats are being asked for. */
  asking(): void {
    this.quiet();
    if (this.#panel) return;
    const bar = h("div", { class: "track unsure", "aria-hidden": "true" }, h("i", null));
    this.#place.replaceChildren(h("section", { class: "sheet box" }, h("h2", null, t("counterAsking")), bar));
  }

  setHold(hold: Hold | null): void {
    if (hold && this.#panel) return this.#panel.update(hold);
    this.#panel?.stop();
    this.#panel = hold && this.#make(hold);
    if (this.#panel) this.#place.replaceChildren(this.#panel.element);
    else this.#idle();
  }

  focusHold(): void {
    this.#panel?.element.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  }

  say(tone: Tone, text: string, action?: Action): void {
    this.#notices.replaceChildren(notice(tone, text, action));
    if (!this.#panel) this.#idle();
  }

  quiet(): void {
    this.#notices.replaceChildren();
  }

  get accessible(): boolean {
    const { book, chart, kept } = this.#model;
    return this.#needs || (kept && [...book.chosen].some((o) => chart.flags[o] !== 0));
  }

  needAccessible(): void {
    this.#needs = true;
  }

  /** Of the choice these are somebody else's: the nearest like them are one press away, all others a look at the map. */
  async sayLost(seats: readonly number[], areas: readonly number[]): Promise<void> {
    const { lostOf } = await import("../event/lost.ts"), { book } = this.#model;
    const { text, instead } = lostOf(this.#model, seats, areas);
    const run = (): void => {
      for (const o of instead!.leave) book.chosen.delete(o);
      for (const o of instead!.take) if (book.choosable(o)) book.chosen.add(o);
      this.asking();
      void this.#actions.holdChoice();
    };
    this.say("warn", text, instead ? { label: instead.label, run } : { label: t("counterBack"), run: this.#back });
  }

  stop(): void {
    this.#panel?.stop();
  }

  // The choice is the partner's page's: it follows what the frame tells.
  renderChoice(): void {}
  changed(): void {}
  toggle(): void {}
  openArea(): void {}
  looking(): void {}
}

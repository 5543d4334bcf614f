import type { Hold } from "../api/types.ts";
import { focusIn, h, icon, icons } from "../base/dom.ts";
import { Deadline } from "../ui/deadline.ts";
import { t } from "./words.ts";
import { type Action, busy, isBusy, way } from "../ui/notice.ts";
import { holdLines } from "./lines.ts";
import type { EventModel } from "./model.ts";

export interface HoldActions {
  checkout(): Promise<void>;
  extend(): Promise<void>;
  release(): Promise<void>;
  over(): void;
  /** The way back to a payment that has begun. */
  goOn(hold: Hold, label: string): Action;
}

/** The fan's live hold: seats, what is left of its time by the server's clock, and the ways on. */
export class HoldPanel {
  readonly element: HTMLElement;
  readonly #model: EventModel;
  readonly #actions: HoldActions;
  readonly #deadline = new Deadline();
  #hold: Hold;

  constructor(model: EventModel, hold: Hold, actions: HoldActions) {
    this.#model = model;
    this.#hold = hold;
    this.#actions = actions;
    this.element = h("section", { class: "hold", "aria-labelledby": "hold-title" });
    this.#render();
    this.#run();
  }

  update(hold: Hold): void {
    this.#hold = hold;
    const buttons = (): HTMLElement[] => [...this.element.querySelectorAll<HTMLElement>("a, button")];
    const active = focusIn(this.element), focused = buttons().findIndex((b) => b === active);
    this.#render();
    if (focused >= 0) (buttons()[focused] ?? buttons()[0])?.focus({ preventScroll: true });
    this.#run();
  }

  #run(): void {
    this.#deadline.run(Date.parse(this.#hold.expiresAt), this.#model.detail.rules.holdSeconds * 1000, this.element, () => this.#actions.over());
  }

  stop(): void {
    this.#deadline.stop();
  }

  #render(): void {
    const hold = this.#hold, paying = hold.state === "PAYING", { seats, bill } = holdLines(this.#model, hold);
    const checkout = h("button", { class: "button wide", type: "button", id: "checkout" }, t("checkout"));
    press(checkout, t("goingToPay"), () => this.#actions.checkout());
    const more = h("button", { class: "button quiet", type: "button" }, icon(icons.clock), t("extend"));
    press(more, "", () => this.#actions.extend());
    this.element.replaceChildren(
      h("h2", { id: "hold-title", tabindex: -1 }, icon(icons.check), t("heldTitle")),
      h("div", { class: "clock" }, this.#deadline.face, h("span", { class: "small soft" }, paying ? t("paying") : t("timeLeft")), h("div", { class: "bar", "aria-hidden": "true" }, this.#deadline.bar)),
      h("ul", { class: "chosen" }, ...seats), ...bill,
      paying ? way(this.#actions.goOn(hold, t("goPay")), "button wide") : checkout,
      paying ? "" : h("div", { class: "pair" }, more, this.#releaseButton()));
  }

  /** Giving back asks once more, in place: a slip of the thumb must not cost seats. */
  #releaseButton(): HTMLElement {
    const button = h("button", { class: "button quiet", type: "button" }, t("release"));
    button.addEventListener("click", () => {
      const yes = h("button", { class: "button quiet", type: "button" }, t("releaseYes"));
      const no = h("button", { class: "button quiet", type: "button", onclick: () => this.#askedNo() }, t("releaseNo"));
      press(yes, "", () => this.#actions.release());
      button.parentElement!.replaceWith(h("div", { class: "box", role: "group", "aria-label": t("releaseSure") },
        h("p", null, t("releaseSure")), h("div", { class: "pair" }, yes, no)));
      no.focus();
    });
    return button;
  }

  #askedNo(): void {
    this.#render();
    this.element.querySelector<HTMLElement>(".pair .button:last-child")?.focus();
  }
}

/** A button whose work runs once at a time. */
function press(button: HTMLButtonElement, label: string, work: () => Promise<void>): void {
  button.addEventListener("click", async () => {
    if (isBusy(button)) return;
    const ready = busy(button, label || undefined);
    await work();
    ready();
  });
}

import type { FrameStage } from "../embed/protocol.ts";
import { mmss } from "../base/countdown.ts";
import { h, icon, icons } from "../base/dom.ts";
import type { Held } from "./body.ts";
import { t } from "../event/words.ts";
import { w, wPlural } from "./words.ts";

/** Where the fan stands in our frame, said in the partner's page: seats and their time, a payment, a place in line. */
export class Standing {
  readonly element = h("div", { class: "box" });
  readonly #now: () => number;
  readonly #open: () => void;
  #clock: HTMLElement | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #ends = 0;

  /** now: the server's, ms. */
  constructor(now: () => number, open: () => void) {
    this.#now = now;
    this.#open = open;
  }

  /** again: somebody has used our frame in this tab, and where storage is kept from frames it does not know them any more. */
  show(hold: Held | null, stage: FrameStage, again = false): void {
    clearInterval(this.#timer);
    this.#clock = null;
    const held = hold !== null && stage !== "tickets";
    const text = held ? wPlural("wSeats", hold.seats.length) : stage === "line" ? w("wWaiting") : stage === "tickets" ? w("wTickets") : again && stage === "sign-in" ? t("errSession") : "";
    if (text === "") return this.element.replaceChildren();
    if (held) {
      this.#ends = Date.parse(hold.expiresAt);
      this.#clock = h("b", { role: "timer", "aria-live": "off" });
      this.#timer = setInterval(() => this.#tick(), 500);
      this.#tick();
    }
    this.element.replaceChildren(h("section", { class: "hold pl-hold", "aria-label": text },
      h("h2", null, icon(stage === "tickets" ? icons.ticket : icons.clock), stage === "paying" ? w("wPaying") : text),
      this.#clock && h("div", { class: "clock" }, this.#clock),
      h("button", { class: "button", type: "button", onclick: () => this.#open() }, held ? w("wContinue") : w("wShow"))));
  }

  #tick(): void {
    if (this.#clock) this.#clock.textContent = mmss(Math.max(0, this.#ends - this.#now()));
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

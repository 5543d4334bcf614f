import { clock } from "../base/clock.ts";
import { type Milestone, milestone, mmss, urgency } from "../base/countdown.ts";
import { announce, h } from "../base/dom.ts";
import { t } from "../i18n/text.ts";

const STEP = 250; // ms: a second's change is shown within a quarter of one
const SAID = { 300: "left5", 120: "left2", 60: "left1", 30: "left30" } as const satisfies Record<Milestone, string>;

/**
 * Counts down to a moment of the server's clock: with digits, with a bar, and aloud at its milestones. It touches the page once a
 * second: each touch costs a phone a frame, and a deadline is open for many minutes.
 */
export class Deadline {
  readonly face = h("b", { role: "timer", class: "num", "aria-label": t("timeLeft") });
  readonly bar = h("i", null);
  #timer: ReturnType<typeof setInterval> | undefined;
  #left = Infinity;

  /**
   * Counts from now on to `ends`, of `whole` ms in all; also when it stood still because an earlier end was over. root bears how urgent it
   * is (data-urgency). over is told once.
   */
  run(ends: number, whole: number, root: HTMLElement, over: () => void): void {
    this.stop();
    this.#left = Infinity;
    const tick = (): void => {
      const left = ends - clock.now(), before = this.#left;
      this.#left = left;
      this.#show(left, whole, root);
      const passed = before === Infinity ? null : milestone(before, left);
      if (passed) announce(t(SAID[passed]), root);
      if (left > 0) return;
      this.stop();
      over();
    };
    this.#timer = setInterval(tick, STEP);
    tick();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #show(left: number, whole: number, root: HTMLElement): void {
    const text = mmss(left);
    if (this.face.textContent === text) return;
    this.face.textContent = text;
    this.bar.style.transform = `scaleX(${Math.max(0, Math.min(1, left / whole)).toFixed(3)})`;
    root.dataset.urgency = urgency(left);
  }
}

import { announce, h } from "../base/dom.ts";
import type { Way } from "../live/links.ts";
import type { LiveState } from "../live/options.ts";
import { t } from "./words.ts";

/** How it is told that the map is polled: whoever brings that way brings its words. */
export interface PollWords { sign: string; why: string }

const CALM = 2_500; // ms that a break may last before anybody is told

/** Says how the map is kept true. A break that mends itself is not mentioned; aloud it says only what changes for the fan. */
export class LiveSign {
  readonly element = h("p", { class: "live", "data-state": "connecting" }, t("liveConnecting"));
  polling: PollWords = { sign: "", why: "" };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #told = false; // that seats come late

  show(state: LiveState, way: Way | null): void {
    clearTimeout(this.#timer);
    this.element.dataset.way = way ?? "";
    const trouble = state === "reconnecting" || state === "offline";
    if (trouble) this.#timer = setTimeout(() => this.#turn(state), CALM);
    else this.#turn(state);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #turn(state: LiveState): void {
    if (this.element.dataset.state === state) return;
    const texts = { connecting: t("liveConnecting"), reconnecting: t("liveConnecting"), live: t("live"), polling: this.polling.sign, offline: t("liveOffline") };
    this.element.dataset.state = state;
    this.element.textContent = texts[state];
    this.element.title = state === "polling" ? this.polling.why : "";
    if (state === "polling" && !this.#told) announce(this.polling.why, this.element);
    if (state === "offline") announce(texts.offline, this.element);
    if (state === "live" && this.#told) announce(t("liveAgain"), this.element);
    if (state !== "reconnecting") this.#told = state === "polling" || state === "offline";
  }
}

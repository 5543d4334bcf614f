import { explain, Problem } from "../api/problem.ts";
import type { QueueState } from "../api/types.ts";
import { claim, enterQueue, keptQueueToken, dropQueue, queueState } from "../auth/access.ts";
import { sessionToken } from "../auth/session.ts";
import { announce, h } from "../base/dom.ts";
import { count, plural, t } from "./words.ts";
import { notice } from "../ui/notice.ts";

/** How long to wait before asking for the place again: the nearer the turn the sooner, never a storm, slower when nobody looks. */
export function pollDelay(ahead: number | null, hidden: boolean, failures: number): number {
  if (failures > 0) return Math.min(15_000, 1000 * 2 ** Math.min(failures, 4));
  if (hidden) return 5000;
  return ahead === null || ahead > 500 ? 4000 : ahead > 50 ? 2000 : 900;
}

/** The estimate in words, or "" without one. */
export function etaText(eta: [number, number] | null): string {
  if (!eta) return "";
  const [low, high] = eta.map((s) => Math.ceil(s / 60)) as [number, number];
  return high <= 1 ? t("lineEtaSoon") : t("lineEta", { low: Math.max(1, low), high });
}

/**
 * Waiting in line: takes the account's place, shows it in words, and redeems it when the turn comes. It never gives up
 * while the page lives; a failure is shown and the next try comes later.
 */
export class Line {
  readonly element = h("section", { class: "sheet box line", "aria-labelledby": "line-title" });
  readonly #event: string;
  readonly #done: () => void;
  readonly #signedOut: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #failures = 0;
  #first: number | null = null; // people ahead when this page began to wait
  #said = -1;
  #title = document.title;

  constructor(event: string, done: () => void, signedOut: () => void) {
    this.#event = event;
    this.#done = done;
    this.#signedOut = signedOut;
    this.#show(t("lineJoining"), null);
  }

  start(): void {
    void this.#step();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    document.title = this.#title;
  }

  async #step(): Promise<void> {
    const bearer = sessionToken();
    if (!bearer) return this.#signedOut();
    try {
      const token = keptQueueToken(this.#event) ?? (await enterQueue(this.#event, bearer)).queueToken;
      const state = await queueState(token);
      this.#failures = 0;
      if (!this.#stopped) await this.#follow(state, token, bearer);
    } catch (error) {
      if (!this.#stopped) this.#trouble(error);
    }
  }

  async #follow(state: QueueState, token: string, bearer: string): Promise<void> {
    if (state.status === "ADMITTED") {
      this.#show(t("turnLead"), null, t("turnTitle"));
      document.title = t("lineTitleTurn");
      await claim(this.#event, token, bearer);
      this.stop();
      return this.#done();
    }
    if (state.status === "EXPIRED" || state.status === "CLOSED") return this.#ended(state.status);
    this.#place(state);
    this.#again(state.ahead);
  }

  #again(ahead: number | null): void {
    if (this.#stopped) return;
    const delay = pollDelay(ahead, document.hidden, this.#failures) * (0.85 + Math.random() * 0.3);
    this.#timer = setTimeout(() => void this.#step(), delay);
  }

  #trouble(error: unknown): void {
    const code = error instanceof Problem ? error.code : "";
    if (code === "UNAUTHENTICATED" || code === "NOT_FOUND") {
      // the ticket belongs to an earlier sale, key or account: take the place anew, once at a time
      dropQueue(this.#event);
      if (this.#failures > 1) return this.#signedOut();
    }
    this.#failures++;
    if (code !== "WAITING") this.element.querySelector(".trouble")?.replaceChildren(notice("warn", explain(error)));
    this.#again(null);
  }

  #ended(status: "EXPIRED" | "CLOSED"): void {
    dropQueue(this.#event);
    const again = h("button", { class: "button wide", type: "button", onclick: () => void this.#step() }, t("lineAgain"));
    this.element.replaceChildren(
      h("h2", { id: "line-title" }, t("lineTitle")),
      notice("warn", status === "EXPIRED" ? t("lineExpired") : t("lineClosed")),
      ...(status === "EXPIRED" ? [again] : []));
  }

  #place({ ahead, position, etaSeconds }: QueueState): void {
    const n = ahead ?? (position === null ? null : Math.max(0, position - 1));
    if (n === null) return this.#show(t("lineJoining"), null);
    this.#first = Math.max(this.#first ?? n, n, 1);
    const words = n === 0 ? t("lineNext") : plural("lineAhead", n);
    this.#show([words, etaText(etaSeconds)].filter(Boolean).join(" "), 1 - n / this.#first, t("lineTitle"), n);
    if (this.#said < 0 || n <= this.#said / 2) {
      this.#said = n;
      announce(words);
    }
  }

  /** share: of the way done, null when unknown. */
  #show(text: string, share: number | null, title = t("lineTitle"), ahead?: number): void {
    const bar = h("i", null);
    if (share !== null) bar.style.transform = `scaleX(${Math.max(0.03, share)})`;
    this.element.replaceChildren(
      h("h2", { id: "line-title" }, title),
      ...(ahead === undefined ? [] : [h("p", { class: "place", "aria-hidden": "true" }, count(ahead))]),
      h("p", null, text),
      h("div", { class: share === null ? "track unsure" : "track", "aria-hidden": "true" }, bar),
      h("p", { class: "small soft" }, t("lineKeep")),
      h("div", { class: "trouble" }));
  }
}

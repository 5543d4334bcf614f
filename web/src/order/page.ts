import type { Order } from "../api/types.ts";
import { clock } from "../base/clock.ts";
import { announce, h } from "../base/dom.ts";
import { tabbed } from "../base/storage.ts";
import { Deadline } from "../ui/deadline.ts";
import { getOrder, onNews } from "./fetch.ts";
import { giveBackCard } from "./give-back-card.ts";
import { guarded } from "./guarded.ts";
import { receipt } from "./receipt.ts";
import { refundList } from "./refund-list.ts";
import { statusCard, visitedKey, type Ways } from "./status-card.ts";
import { TicketList } from "./tickets.ts";
import { deadline, nextLook, type OrderView, standing, stuck, unpaid, viewOf } from "./view.ts";
import { t } from "./page-words.ts";

/** Where an order is shown: on a page of its own, or in a part of another. */
export interface Place {
  readonly content: HTMLElement;
  /** The order stands in another way than before. */
  turn(order: Order, view: OrderView): void;
  /** Every answer, before it is shown. */
  seen?(order: Order): void;
  /** Ways that lead elsewhere from here than from a page of its own. */
  ways?: Ways;
}

/** One order, at /pay/ID and /orders/ID alike: it is followed from the first payment to the last refund. */
export class OrderPage {
  readonly #id: string;
  readonly #host: Place;
  readonly #place: HTMLElement;
  readonly #off = new AbortController();
  readonly #tickets = new TicketList();
  readonly #main = h("div", { class: "order-main" });
  readonly #side = h("div", { class: "order-side" });
  readonly #deadline = new Deadline();
  readonly #clock = h("div", { class: "deadline" }, h("span", { class: "small soft" }, t("timeLeft")), this.#deadline.face, h("div", { class: "bar", "aria-hidden": "true" }, this.#deadline.bar));
  readonly #parts = new Map<string, { key: string; element: HTMLElement | null }>();
  #view: OrderView | "" = "";
  #looks = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: Promise<void> | null = null;
  #ends: number | null = null;
  #watching: (() => void) | null = null;

  constructor(id: string, place: Place) {
    this.#id = id;
    this.#host = place;
    this.#place = place.content;
  }

  start(): void {
    const fresh = (): void => void this.look(true);
    const { signal } = this.#off;
    document.addEventListener("visibilitychange", () => !document.hidden && fresh(), { signal });
    window.addEventListener("pageshow", (e) => e.persisted && fresh(), { signal }); // back from the provider's page, as it was left
    window.addEventListener("online", fresh, { signal });
    onNews(this.#id, fresh, signal);
    void this.look(true);
  }

  /** Looks no more. */
  stop(): void {
    this.#off.abort();
    this.#deadline.stop();
    clearTimeout(this.#timer);
    this.#watching?.();
    this.#watching = null;
  }

  /** Looks at the order and shows it. news: something may have happened, so the next looks are quick again. */
  async look(news = false): Promise<void> {
    if (news) this.#looks = 0;
    await this.#asking; // one question at a time: an older answer never covers a newer one
    this.#asking ??= this.#look().finally(() => (this.#asking = null));
    await this.#asking;
  }

  #look(): Promise<void> {
    clearTimeout(this.#timer);
    const known = this.#view !== "";
    return guarded(this.#place, t("paySignIn"), async () => {
      let order: Order;
      try {
        order = await getOrder(this.#id);
        if (this.#off.signal.aborted) return;
      } catch (error) {
        if (!known || !isTrouble(error)) throw error;
        return this.#again(3000); // what is shown stays true enough while the network is away
      }
      this.#host.seen?.(order);
      const view = viewOf(order, clock.now(), tabbed.get(visitedKey(this.#id)));
      this.#show(order, view);
      const wait = nextLook(view, order.refunds, this.#looks++, document.hidden);
      if (wait !== null) this.#again(wait);
      this.#watch(order, wait !== null);
    });
  }

  /** While something may change, the gateway's notices say when to look; looking goes on beside them. */
  #watch(order: Order, moving: boolean): void {
    if (!moving) this.#watching?.();
    if (moving === (this.#watching !== null)) return;
    let stop = (): void => void (over = true), over = false;
    this.#watching = moving ? () => stop() : null;
    if (moving) import("./watch.ts").then(({ watch }) => {
      if (!over) stop = watch(order.eventId, this.#id, () => void this.look(true));
    }, () => {});
  }

  #again(ms: number): void {
    if (!this.#off.signal.aborted) this.#timer = setTimeout(() => void this.look(), ms);
  }

  #show(order: Order, view: OrderView): void {
    this.#keepTime(order, view);
    const { payment, refundable, tickets, refunds } = order;
    const status = this.#part("status", [view, payment?.attemptId, payment?.actionUrl, order.next, order.paymentDelayed, stuck(view, refunds)], () =>
      statusCard(order, view, { look: () => this.look(true), clock: this.#clock, ways: this.#host.ways }));
    this.#place.removeAttribute("aria-busy");
    arrange(this.#main, [
      status,
      this.#part("tickets", tickets.map((k) => [k.ticketId, k.state]), () => this.#tickets.render(order, () => printOnly("tickets"))),
      this.#part("refunds", refunds, () => refundList(order))]);
    arrange(this.#side, [
      this.#part("receipt", [order.lines, standing(view), tickets.map((k) => k.state), refunds], () => receipt(order, standing(view), () => printOnly("receipt"))),
      this.#part("give-back", refundable, () => giveBackCard(order, () => this.look(true)))]);
    arrange(this.#place, [this.#main, this.#side]);
    if (view !== this.#view) this.#turn(order, view);
  }

  /** A part of the page; it is made anew only when what it shows has changed, so that focus and pictures stay. */
  #part(name: string, shows: unknown, make: () => HTMLElement | null): HTMLElement | null {
    const key = JSON.stringify(shows) ?? "", known = this.#parts.get(name);
    if (known?.key === key) return known.element;
    const element = make();
    this.#parts.set(name, { key, element });
    return element;
  }

  /** The view is another one: the fan is told, and the focus goes where the news is. */
  #turn(order: Order, view: OrderView): void {
    const first = this.#view === "";
    this.#view = view;
    this.#host.turn(order, view);
    if (first) return;
    announce(t(`view_${view}`));
    if (!document.querySelector("dialog[open]")) document.getElementById("status-title")?.focus({ preventScroll: true });
  }

  // ---- the clock

  #keepTime(order: Order, view: OrderView): void {
    const ends = unpaid(view) ? deadline(order) : null;
    if (ends === this.#ends) return;
    this.#ends = ends;
    if (ends === null) this.#deadline.stop();
    else this.#deadline.run(ends, Math.max(1, ends - Date.parse(order.createdAt)), this.#clock, () => void this.look(true));
  }
}

/** No answer, or one that says "later": not a reason to take the order off the screen. */
function isTrouble(error: unknown): boolean {
  const { code, status } = error as { code?: string; status?: number };
  return code === "OFFLINE" || code === "RATE_LIMITED" || (status ?? 0) >= 500;
}

/** Makes these the children, touching only what differs. */
function arrange(parent: HTMLElement, wanted: readonly (HTMLElement | null)[]): void {
  const elements = wanted.filter((e) => e !== null);
  for (const child of [...parent.children]) if (!elements.includes(child as HTMLElement)) child.remove();
  elements.forEach((e, i) => parent.children[i] !== e && parent.insertBefore(e, parent.children[i] ?? null));
}

/** Prints one part of the page. A phone goes on before it has printed, so the page says when that is over. */
function printOnly(what: "tickets" | "receipt"): void {
  addEventListener("afterprint", () => delete document.documentElement.dataset.print, { once: true });
  document.documentElement.dataset.print = what;
  print();
}

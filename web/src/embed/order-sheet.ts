import type { Order } from "../api/types.ts";
import { h, icon, icons } from "../base/dom.ts";
import { tabbed } from "../base/storage.ts";
import { OrderPage } from "../order/page.ts";
import { visitedKey } from "../order/status-card.ts";
import { type OrderView, unpaid } from "../order/view.ts";
import { notice } from "../ui/notice.ts";
import type { OrderNews } from "./protocol.ts";
import type { FrameTill } from "./till.ts";
import { t } from "./words.ts";

export interface SheetEvents {
  turn(view: OrderView): void;
  /** The fan wants to choose seats again. */
  leave(): void;
}

/** An order inside the frame, from its payment in a window of its own to the tickets. */
export class OrderSheet {
  readonly element: HTMLElement;
  readonly id: string;
  readonly #page: OrderPage;
  readonly #till: FrameTill;
  readonly #content = h("div", { class: "order", "aria-busy": "true" }, h("div", { class: "spinner" }));
  readonly #leave: HTMLElement;
  #onward: { order: Order; label: string; kind: string; box: HTMLElement } | null = null;

  constructor(id: string, till: FrameTill, events: SheetEvents) {
    this.id = id;
    this.#till = till;
    this.#leave = h("button", { class: "button plain back", type: "button", hidden: true, onclick: () => events.leave() }, icon(icons.left), t("moreSeats"));
    this.element = h("section", { class: "box" }, this.#leave, this.#content);
    this.#page = new OrderPage(id, {
      content: this.#content,
      turn: (_, view) => {
        this.#leave.hidden = unpaid(view);
        events.turn(view);
      },
      seen: (order) => this.#seen(order),
      ways: {
        onward: (order, label, kind) => this.#way(order, label, kind),
        again: (_, label) => h("button", { class: "button wide", type: "button", onclick: () => events.leave() }, label),
      },
    });
    this.#page.start();
  }

  /** What a window was given is being paid for in it. */
  #seen({ orderId, payment }: Order): void {
    if (this.#till.given !== orderId || !payment) return;
    this.#till.given = "";
    tabbed.set(visitedKey(orderId), payment.attemptId);
  }

  #way(order: Order, label: string, kind: string): HTMLElement {
    this.#onward = { order, label, kind, box: h("div", { class: "box" }) };
    this.#paint();
    return this.#onward.box;
  }

  /** The way to the payment's window, with what to do when it does not open. */
  #paint(): void {
    const { order, label, kind, box } = this.#onward!, { blocked } = this.#till;
    const open = h("button", { class: kind, type: "button", id: "to-payment", onclick: () => this.#till.pay(order.orderId) }, label);
    const plain = h("a", { class: "button wide", id: "pay-plain", href: `/pay/${encodeURIComponent(order.orderId)}`, target: "_blank", rel: "noopener" }, t("payPlain"));
    box.replaceChildren(...blocked > 1 ? [notice("warn", t("payBlockedAgain")), plain, open]
      : blocked === 1 ? [notice("warn", t("payBlocked")), open] : [h("p", { class: "small soft" }, t("payElsewhere")), open]);
  }

  /** A window has been opened, or has not: the way says so, and the order is looked at. */
  tried(): void {
    if (this.#onward) this.#paint();
    void this.#page.look(true);
  }

  focus(): void {
    document.getElementById("status-title")?.focus({ preventScroll: true });
  }

  stop(): void {
    this.#page.stop();
  }
}

const NEWS: Partial<Record<OrderView, OrderNews>> = {
  declined: "declined", expired: "expired", late: "expired", cancelled: "cancelled", confirmed: "confirmed", partly: "refunded", returned: "refunded", refunded: "refunded",
};

/** How an order stands, as its host may know it. */
export const orderNews = (view: OrderView): OrderNews => NEWS[view] ?? "paying";

import type { Hold } from "../api/types.ts";
import { deviceKey } from "../auth/device-key.ts";
import { access } from "../auth/kept.ts";
import { session } from "../auth/session.ts";
import type { Paying, Till } from "../event/setting.ts";
import type { Action } from "../ui/notice.ts";
import type { HandOver } from "./hand-over.ts";
import { type Here, type Other, PayWindow } from "./pay-window.ts";

export interface TillEvents {
  /** The fan goes to pay. */
  checkout(): void;
  /** An order is being paid for: the frame follows it. */
  follow(order: string): void;
}

export interface Counter extends Here {
  /** Opens the payment's page in a window; null: the browser has not let us. */
  open(): Other | null;
}

/**
 * Paying from within a frame. A frame cannot show a bank's page and what it keeps is not kept for our own site, so the fan
 * pays in a window of ours that is opened in the very press; it is given the session as soon as there is an order.
 */
export class FrameTill implements Till {
  readonly #event: string;
  readonly #counter: Counter;
  readonly #events: TillEvents;
  #opened: PayWindow | null = null;
  /** How often in a row the browser has opened no window. */
  blocked = 0;
  /** The order whose payment has been given to a window, until its page is known to have been opened. */
  given = "";

  constructor(event: string, counter: Counter, events: TillEvents) {
    this.#event = event;
    this.#counter = counter;
    this.#events = events;
  }

  begin(): Paying {
    const opened = this.#open();
    this.#events.checkout();
    return {
      go: ({ orderId }) => {
        void this.#give(opened, orderId);
        this.#events.follow(orderId);
      },
      stop: () => opened?.close(),
    };
  }

  /** Opens the window for an order that there is already. To be called in the press. */
  pay(order: string): void {
    const opened = this.#open();
    this.#events.checkout();
    void this.#give(opened, order);
    this.#events.follow(order);
  }

  goOn(hold: Hold, label: string): Action {
    return hold.orderId ? { label, run: () => this.pay(hold.orderId!) } : { label, href: "/orders" };
  }

  tickets(order: string, label: string): Action {
    return { label, run: () => this.#events.follow(order) };
  }

  #open(): PayWindow | null {
    this.#opened?.forget();
    const opened = this.#counter.open();
    this.blocked = opened ? 0 : this.blocked + 1;
    return (this.#opened = opened && new PayWindow(opened, this.#counter));
  }

  async #give(opened: PayWindow | null, order: string): Promise<void> {
    const now = session();
    if (!opened || !now) return opened?.close();
    this.given = order;
    opened.give({ session: now, keys: await deviceKey(), event: this.#event, access: access(this.#event), order } satisfies HandOver);
  }
}

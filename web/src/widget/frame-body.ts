import { h } from "../base/dom.ts";
import type { Rules } from "../api/types.ts";
import type { ToHost } from "../embed/protocol.ts";
import { beforeFees } from "../event/pricing.ts";
import type { Asked, Body, BodyHost, Held, Selection } from "./body.ts";
import type { Box } from "./box.ts";
import { FrameLink, ourFrame } from "./frame-link.ts";
import { judge, valuesOf } from "./palette.ts";
import type { Kit } from "./parts.ts";
import type { Settings } from "./settings.ts";
import { w } from "./words.ts";

/** The whole event page in one frame, for pages whose style sheets or scripts leave nothing alone. */
export class FrameBody implements Body {
  readonly #host: BodyHost;
  readonly #kit: Kit;
  readonly #box: Box;
  readonly #stop = new AbortController();
  #settings: Settings;
  #frame: HTMLIFrameElement | null = null;
  #link: FrameLink | null = null;
  #currency = "";
  #rules: Pick<Rules, "fees"> = {};
  #seats: string[] = [];
  #total: Selection["total"] = null;
  hold: Held | null = null;

  constructor(host: BodyHost, kit: Kit, sheet: string) {
    this.#host = host;
    this.#kit = kit;
    this.#settings = host.settings;
    this.#box = new kit.Box(host, () => this.#link && this.#dress()); // the first look is while the box is made
    this.#box.adopt(sheet);
    void this.#start();
  }

  /** A frame that may not be shown is blank: whether it may, and what it costs, is asked before. */
  async #start(): Promise<void> {
    const { event } = this.#settings, { origin } = this.#host, { Missing, Source } = this.#kit;
    try {
      if (!event) throw new Missing("EVENT", "the attribute event is empty");
      const detail = await new Source(origin, this.#stop.signal).event(event);
      if (this.#stop.signal.aborted) return;
      this.#currency = detail.currency;
      this.#rules = detail.rules;
      const site = new URL(origin).host, frame = ourFrame(origin, `/embed/v1/frame/${encodeURIComponent(event)}`, this.#host.language, w("wFrame", { site }));
      frame.className = "pl-frame";
      frame.setAttribute("part", "frame");
      this.#frame = frame;
      this.#link = new FrameLink(frame, origin, {
        heard: (message) => this.#heard(message),
        ready: () => this.#host.tell("plateia-ready", { event: detail.eventId, title: detail.title, state: detail.state, mode: "frame" }),
        failed: (why) => this.#failed(new Missing("FRAME", why)),
      });
      this.#dress();
      this.#limit();
      this.#box.fill(frame);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const again = (): void => {
      this.#link?.close();
      void this.#start();
    };
    const place = h("div", { class: "map" });
    this.#box.fill(place);
    void this.#box.trouble(place, error, again).then(({ code, message }) => this.#host.tell("plateia-error", { code, text: message }));
  }

  #heard(message: ToHost): void {
    const { tell } = this.#host;
    switch (message.type) {
      case "size": return void (this.#frame!.style.height = `${Math.max(320, message.height)}px`);
      case "select":
        this.#seats = message.seats;
        this.#total = message.total;
        return tell("plateia-select", this.selection);
      case "hold":
        if (!message.hold && !this.hold) return; // its first word is that there is none
        this.hold = message.hold;
        return tell("plateia-hold", { hold: message.hold });
      case "order": return tell("plateia-order", { status: message.status });
      case "checkout": return tell("plateia-checkout", {});
      case "lost": return tell("plateia-lost", { seats: message.seats });
      case "error": return tell("plateia-error", { code: message.code, text: message.text });
    }
  }

  #dress(): void {
    const { skin } = this.#box;
    judge(skin, (text) => this.#host.tell("plateia-error", { code: "CONTRAST", text }));
    this.#link?.send({ type: "theme", scheme: skin.dark ? "dark" : "light", values: valuesOf(skin) });
  }

  #limit(): void {
    this.#link?.send({ type: "show", ...this.#kit.limitsOf(this.#settings, { currency: this.#currency }) });
  }

  update(settings: Settings): void {
    this.#settings = settings;
    this.#box.update(settings);
    this.#dress();
    this.#limit();
  }

  get selection(): Selection {
    return { seats: [...this.#seats], areas: [], total: this.#total };
  }

  select(labels: readonly string[]): string[] {
    return [...labels]; // the choice is the frame's
  }

  show(section: string | null): void {
    this.#link?.send({ type: "show", ...this.#kit.limitsOf(this.#settings, { currency: this.#currency }), ...(section !== null && { sections: [section] }) });
  }

  ask(best: Asked | null): void {
    if (!best) return this.desk();
    const { quantity = 2, maxPrice, ...rest } = best;
    this.#link?.send({ type: "best", quantity, ...rest, ...(maxPrice !== undefined && { maxPrice: beforeFees(this.#rules, { amount: maxPrice, currency: this.#currency }) }) });
  }

  desk(): void {
    this.#link?.send({ type: "open" });
  }

  refresh(): void {}

  close(): void {
    this.#stop.abort();
    this.#link?.close();
    this.#box.close();
  }
}

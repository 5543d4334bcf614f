import type { ToFrame, ToHost } from "../embed/protocol.ts";
import { h, icon, icons } from "../base/dom.ts";
import { Missing } from "./missing.ts";
import { FrameLink, ourFrame } from "./frame-link.ts";
import { valuesOf } from "./palette.ts";
import type { Desk, DeskContext } from "./parts.ts";
import { w } from "./words.ts";

const LOWEST = 440; // CSS pixels of height below which a frame beside the map has no room

/**
 * Our own frame: signing in, waiting, holding, paying. In a wide element it lies over the panel, in a small one over the
 * page. The frame stays when it is out of sight: a hold goes on.
 */
export class DeskSheet implements Desk {
  readonly element: HTMLDialogElement;
  readonly #c: DeskContext;
  readonly #heard: (message: ToHost) => void;
  readonly #back: HTMLButtonElement;
  readonly #place = h("div", { class: "pl-desk-body" });
  readonly #sizes = new ResizeObserver(() => this.#look());
  #link: FrameLink | null = null;
  #titled = false;

  constructor(context: DeskContext, heard: (message: ToHost) => void) {
    this.#c = context;
    this.#heard = heard;
    this.#back = h("button", { class: "button plain", type: "button", onclick: () => this.hide() }, icon(icons.left), w("wBack"));
    this.element = h("dialog", { class: "pl-desk", part: "desk", "aria-label": w("wDesk"), onclose: () => this.#link?.send({ type: "close" }) },
      h("div", { class: "pl-desk-head" }, this.#back), this.#place);
    context.place.after(this.element);
    this.#sizes.observe(context.place);
    this.#make();
  }

  show(message: ToFrame): void {
    if (!this.#link) this.#make();
    this.#link!.send(message);
    if (this.element.open) return;
    if (this.#beside && this.#c.place.clientHeight >= LOWEST) this.element.show();
    else this.element.showModal();
    this.#look();
  }

  get #beside(): boolean {
    return getComputedStyle(this.#c.place).getPropertyValue("--beside").trim() === "1";
  }

  /** Beside the map the event's title is over both: the frame need not say it again. */
  #look(): void {
    const titled = this.open && !this.modal && this.#beside && this.#c.box.element.querySelector(".pl-head:not([hidden])") !== null;
    if (titled === this.#titled) return;
    this.#titled = titled;
    this.dress();
  }

  hide(): void {
    this.element.close();
  }

  get open(): boolean {
    return this.element.open;
  }

  get modal(): boolean {
    return this.element.matches(":modal");
  }

  dress(): void {
    const { skin } = this.#c.box;
    this.#link?.send({ type: "theme", scheme: skin.dark ? "dark" : "light", values: valuesOf(skin), titled: this.#titled });
  }

  #make(): void {
    const { host, eventId } = this.#c, { origin } = host;
    const frame = ourFrame(origin, `/embed/v1/desk/${encodeURIComponent(eventId)}`, host.language, w("wFrame", { site: new URL(origin).host }));
    this.#link = new FrameLink(frame, origin, { heard: (message) => this.#heard(message), ready: () => {}, failed: (why) => this.#failed(why) });
    this.dress();
    this.#place.replaceChildren(frame);
  }

  #failed(why: string): void {
    this.#link?.close();
    this.#link = null;
    this.#c.host.tell("plateia-error", { code: "FRAME", text: why });
    void this.#c.box.trouble(this.#place, new Missing("FRAME", why), () => this.#make());
  }

  stop(): void {
    this.#sizes.disconnect();
    this.#link?.close();
  }
}

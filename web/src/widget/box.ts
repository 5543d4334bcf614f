import { h } from "../base/dom.ts";
import { t } from "../event/words.ts";
import type { BodyHost } from "./body.ts";
import { Missing } from "./missing.ts";
import { part, type TroubleCode } from "./parts.ts";
import type { Settings } from "./settings.ts";
import { adopt } from "./sheet.ts";
import { Skin } from "./skin.ts";
import { w } from "./words.ts";

/** The element's style sheet. build-embed.mjs makes it of the pages' own. */
declare const SHEET: string;

/**
 * What is around an event in the shadow root: styles, theme, heading, bones, and the line that screen readers hear. Our
 * languages are written from left to right, on a page of the other direction too; who wants it mirrored says so on the element.
 */
export class Box {
  readonly element: HTMLElement;
  readonly skin: Skin;
  readonly #host: BodyHost;
  readonly #head = h("header", { class: "pl-head", part: "head", hidden: true });
  readonly #inner = h("div", { class: "pl-in" });
  readonly #bones = h("div", { class: "pl-bones" }, h("i", null), h("i", null));
  #heading: boolean;

  constructor(host: BodyHost, themed: () => void) {
    this.#host = host;
    this.#heading = host.settings.heading;
    this.element = h("div", { class: "pl", dir: host.element.dir || "ltr", lang: host.language }, this.#inner,
      h("p", { class: "hush", id: "status", role: "status" }));
    this.adopt(SHEET);
    host.root.replaceChildren(this.element);
    this.skin = new Skin(host.element, this.element, themed);
    this.skin.set(host.settings.theme);
  }

  /** Takes a part's style sheet on. */
  adopt(css: string): void {
    adopt(this.#host.root, css);
  }

  fill(...parts: HTMLElement[]): void {
    this.#inner.replaceChildren(this.#head, ...parts);
  }

  title(title: string, ...lines: HTMLElement[]): void {
    this.#head.replaceChildren(h("h2", null, title), ...lines);
    this.#head.hidden = !this.#heading;
  }

  update({ theme, heading }: Settings): void {
    this.#heading = heading;
    this.#head.hidden = !heading || !this.#head.firstChild;
    this.skin.set(theme);
  }

  /** Bones in a place until something is there; what was there before goes. */
  waiting(place: HTMLElement, on: boolean): void {
    this.element.ariaBusy = String(on);
    place.replaceChildren(...(on ? [this.#bones, h("p", { class: "hush" }, t("liveConnecting"))] : []));
  }

  /** Says in a place why something did not come, and answers what was behind it. */
  async trouble(place: HTMLElement, error: unknown, again: () => void): Promise<Missing> {
    const { origin, settings: { event } } = this.#host;
    let why = error as Missing;
    if (typeof why.code !== "string") why = new Missing("UNREACHABLE", String(error)); // each part has a class Missing of its own
    let card: HTMLElement = h("p", null, w("wUnreachable"), " ", h("button", { class: "button", type: "button", onclick: again }, t("retry")));
    try {
      const code = await part<TroubleCode>("trouble");
      this.adopt(code.sheet);
      why = await code.why(why, origin, event);
      card = code.card(why, origin, event, again);
    } catch {
      // not even that comes
    }
    this.waiting(place, false);
    place.replaceChildren(card);
    return why;
  }

  close(): void {
    this.skin.stop();
    this.#host.root.replaceChildren();
  }
}

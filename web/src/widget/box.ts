import { h } from "../base/dom.ts";
import { t } from "../event/words.ts";
import type { BodyHost } from "./body.ts";
import type { Settings } from "./settings.ts";
import { adopt } from "./sheet.ts";
import { Skin } from "./skin.ts";

/** The element's style sheet. build-embed.mjs makes it of the pages' own. */
declare const SHEET: string;

/**
 * What is around an event in the shadow root: styles, theme, heading, bones, and the line that screen readers hear. Our
 * languages are written from left to right, on a page of the other direction too; who wants it mirrored says so on the element.
 */
export class Box {
  readonly element: HTMLElement;
  readonly skin: Skin;
  readonly #root: ShadowRoot;
  readonly #head = h("header", { class: "pl-head", part: "head", hidden: true });
  readonly #inner = h("div", { class: "pl-in" });
  readonly #bones = h("div", { class: "pl-bones" }, h("i", null), h("i", null), h("i", null));
  #heading: boolean;

  constructor(host: BodyHost, themed: () => void) {
    this.#root = host.root;
    this.#heading = host.settings.heading;
    adopt(host.root, SHEET);
    this.element = h("div", { class: "pl", dir: host.element.dir || "ltr", lang: host.language }, this.#inner,
      h("p", { class: "hush", id: "status", role: "status" }));
    host.root.replaceChildren(this.element);
    this.skin = new Skin(host.element, this.element, themed, (text) => host.tell("plateia-error", { code: "CONTRAST", text }));
    this.skin.set(host.settings.theme);
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
    this.#head.hidden = !heading || this.#head.childElementCount === 0;
    this.skin.set(theme);
  }

  /** Bones in a part until something is there; what was there before goes. */
  waiting(part: HTMLElement, on: boolean): void {
    this.element.ariaBusy = String(on);
    if (on) part.replaceChildren(this.#bones, h("p", { class: "hush" }, t("liveConnecting")));
    else part.replaceChildren();
  }

  close(): void {
    this.skin.stop();
    this.#root.replaceChildren();
  }
}

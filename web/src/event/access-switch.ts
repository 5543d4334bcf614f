import { h, icon, icons } from "../base/dom.ts";
import { t } from "./words.ts";

/** "I need an accessible place": opens the seats that are kept for fans who do. */
export class AccessSwitch {
  readonly element: HTMLElement;
  readonly #box: HTMLInputElement;
  readonly #changed: (on: boolean) => void;

  constructor(shown: boolean, on: boolean, changed: (on: boolean) => void) {
    this.#changed = changed;
    this.#box = h("input", { type: "checkbox", role: "switch", id: "accessible", checked: on, "aria-describedby": "accessible-lead", onchange: () => this.#say() });
    this.element = h("div", { class: "sheet access", hidden: !shown },
      h("label", { for: "accessible" }, icon(icons.wheelchair), h("b", null, t("needAccessible")), this.#box),
      h("p", { class: "small soft", id: "accessible-lead" }, t("needAccessibleLead")));
  }

  get on(): boolean {
    return this.#box.checked;
  }

  turnOn(): void {
    if (this.on) return;
    this.#box.checked = true;
    this.#say();
  }

  #say(): void {
    this.#changed(this.on);
  }
}

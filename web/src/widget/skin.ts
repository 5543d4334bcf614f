import { OURS, SHADES } from "../embed/palette.ts";

/** How the element looks: light or dark, and what a partner has made of our palette. palette.ts says whether that can be read. */
export class Skin {
  readonly box: HTMLElement;
  readonly #host: HTMLElement;
  readonly #changed: () => void;
  readonly #dark = matchMedia("(prefers-color-scheme: dark)");
  readonly #watch: MutationObserver;
  #theme: "auto" | "light" | "dark" = "auto";
  #seen = "";
  /** Why the palette that is given is not worn, or "". */
  refused = "";

  /** box: in the shadow root, around everything. changed: runs when colours are others. */
  constructor(host: HTMLElement, box: HTMLElement, changed: () => void) {
    this.#host = host;
    this.box = box;
    this.#changed = changed;
    this.#dark.addEventListener("change", this.#look);
    this.#watch = new MutationObserver(this.#look);
    const attributes = { attributeFilter: ["class", "style", "data-theme"] };
    this.#watch.observe(host, attributes);
    this.#watch.observe(document.documentElement, attributes);
  }

  stop(): void {
    this.#dark.removeEventListener("change", this.#look);
    this.#watch.disconnect();
  }

  set(theme: "auto" | "light" | "dark"): void {
    this.#theme = theme;
    this.#look();
  }

  get dark(): boolean {
    return this.#theme === "auto" ? this.#dark.matches : this.#theme === "dark";
  }

  /** A property of the partner's as the element has it, or "". */
  value(name: string): string {
    return getComputedStyle(this.#host).getPropertyValue(`--plateia-${name}`).trim();
  }

  /** Names of those that the partner has set. */
  given(): string[] {
    if (matchMedia("(forced-colors: active)").matches) return []; // the reader's own come first
    return Object.keys(OURS).filter((name) => this.value(name) !== "");
  }

  /** Takes these of the partner's properties on, and ours for all others. */
  wear(names: readonly string[]): void {
    const { style } = this.box;
    for (const theirs in OURS) style.setProperty(`--${OURS[theirs]}`, names.includes(theirs) ? this.value(theirs) : null);
    for (const name in SHADES) style.setProperty(`--${name}`, names.includes("accent") ? SHADES[name]! : null);
  }

  readonly #look = (): void => {
    const { style, classList } = this.box, given = this.given();
    const seen = `${this.dark} ${given.map((name) => name + this.value(name)).join()}`;
    if (seen === this.#seen) return;
    this.#seen = seen;
    classList.toggle("dark", this.dark);
    style.colorScheme = this.dark ? "dark" : "light";
    this.wear(given);
    this.#changed();
  };
}

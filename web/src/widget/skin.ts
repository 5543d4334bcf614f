import { h } from "../base/dom.ts";
import { resolved } from "../map/colour.ts";
import { OURS, SHADES } from "../embed/palette.ts";
import { complaint, OTHERS, tooAlike } from "./palette.ts";

/** How the element looks: light or dark, and what a partner has made of our palette. */
export class Skin {
  readonly #host: HTMLElement;
  readonly #box: HTMLElement;
  readonly #changed: () => void;
  readonly #refused: (why: string) => void;
  readonly #dark = matchMedia("(prefers-color-scheme: dark)");
  readonly #watch: MutationObserver;
  #theme: "auto" | "light" | "dark" = "auto";
  #seen = "";
  #told = "";

  /** box: in the shadow root, around everything. changed: runs when colours are others; refused: when a palette cannot be read. */
  constructor(host: HTMLElement, box: HTMLElement, changed: () => void, refused: (why: string) => void) {
    this.#host = host;
    this.#box = box;
    this.#changed = changed;
    this.#refused = refused;
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

  /** What the partner has set and we accept, by name, with its value as the element has it. */
  values(): Record<string, string> {
    return Object.fromEntries(this.#set().filter((name) => this.#told === "" || OTHERS.includes(name)).map((name) => [name, this.#value(name)]));
  }

  #value(name: string): string {
    return getComputedStyle(this.#host).getPropertyValue(`--plateia-${name}`).trim();
  }

  #set(): string[] {
    if (matchMedia("(forced-colors: active)").matches) return []; // the reader's own come first
    return Object.keys(OURS).filter((name) => this.#value(name) !== "");
  }

  /** Takes the palette on as it is now; one that cannot be read is refused as a whole, and ours is shown. */
  readonly #look = (): void => {
    const { style, classList } = this.#box, set = this.#set();
    const seen = `${this.dark} ${set.map((name) => name + this.#value(name)).join()}`;
    if (seen === this.#seen) return;
    this.#seen = seen;
    classList.toggle("dark", this.dark);
    style.colorScheme = this.dark ? "dark" : "light";
    const put = (names: readonly string[]): void => {
      for (const [theirs, ours] of Object.entries(OURS)) style.setProperty(`--${ours}`, names.includes(theirs) ? this.#value(theirs) : null);
      for (const [name, shade] of Object.entries(SHADES)) style.setProperty(`--${name}`, names.includes("accent") ? shade : null);
    };
    put(set);
    const probe = this.#box.appendChild(h("i", null));
    const colours = Object.fromEntries(Object.entries(OURS).map(([theirs, ours]) => {
      probe.style.color = `var(--${ours})`;
      return [theirs, resolved(getComputedStyle(probe).color)];
    }));
    probe.remove();
    const why = complaint(tooAlike((name) => colours[name]!, new Set(set)));
    if (why !== "") put(set.filter((name) => OTHERS.includes(name)));
    if (why !== "" && why !== this.#told) this.#refused(why);
    this.#told = why;
    this.#changed();
  };
}

import type { Asked, Body, Details, Held, Selection } from "./body.ts";
import { registry, type Registry } from "./registry.ts";
import { ANEW, ATTRIBUTES, readSettings } from "./settings.ts";

/** On a server there are no elements: importing this there does nothing and breaks nothing. */
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

const NOTHING: Selection = { seats: [], areas: [], total: null };

/** `<plateia-map event="…">`: the seats of an event in a partner's page. */
export class PlateiaMap extends Base {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;

  #body: Body | null = null;
  #run = 0; // counts the starts: what an earlier one still brings is nobody's
  #asked: "" | "update" | "start" = "";

  connectedCallback(): void {
    for (const name of PROPERTIES) this.#upgrade(name);
    if (!this.#body) this.#ask("start");
  }

  /** Frameworks take elements out to put them in elsewhere: only who stays away is gone. */
  disconnectedCallback(): void {
    setTimeout(() => !this.isConnected && this.#stop());
  }

  /** Moved by moveBefore: everything stays as it is. */
  connectedMoveCallback(): void {}

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now || !this.isConnected) return;
    this.#ask(ANEW.has(name) ? "start" : "update");
  }

  // ---- methods

  /** What is chosen and not held yet. */
  get selection(): Selection {
    return this.#body?.selection ?? NOTHING;
  }

  /** The seats that are held for the fan, or null. */
  get hold(): Held | null {
    return this.#body?.hold ?? null;
  }

  /** Chooses these seats and no others; answers those that could not be chosen. */
  select(labels: readonly string[]): string[] {
    return this.#body?.select(labels) ?? [...labels];
  }

  clear(): void {
    this.#body?.select([]);
  }

  /** Shows a section by its label, or the whole venue. */
  show(section: string | null = null): void {
    this.#body?.show(section);
  }

  /** Opens our own frame and asks there for the seats that are chosen. */
  holdSelection(): void {
    this.#body?.ask(null);
  }

  /** The same for the best seats. Prices in minor units. */
  holdBest(query: Asked = {}): void {
    this.#body?.ask(query);
  }

  /** Opens our own frame, where the fan signs in, waits, holds and pays. */
  openDesk(): void {
    this.#body?.desk(true);
  }

  closeDesk(): void {
    this.#body?.desk(false);
  }

  /** Asks for the event again now. */
  refresh(): void {
    this.#body?.refresh();
  }

  // ---- life

  /** A property that was set before the element was defined hides the class's own. */
  #upgrade(name: string): void {
    if (!Object.hasOwn(this, name)) return;
    const self = this as unknown as Record<string, unknown>, value = self[name];
    delete self[name];
    self[name] = value;
  }

  /** Several changes in a row are one. */
  #ask(what: "update" | "start"): void {
    if (this.#asked === "") queueMicrotask(() => this.#answer());
    if (this.#asked !== "start") this.#asked = what;
  }

  #answer(): void {
    const asked = this.#asked;
    this.#asked = "";
    if (!this.isConnected) return;
    if (asked === "start" || !this.#body) void this.#start();
    else this.#body.update(this.#settings());
  }

  #settings = (): ReturnType<typeof readSettings> => readSettings((name) => this.getAttribute(name));

  async #start(): Promise<void> {
    const run = this.#stop(), page = registry();
    if (!page) return; // nobody but our loader brings this module
    try {
      const widget = await page.load(page.languageOf(this));
      if (run !== this.#run || !this.isConnected) return;
      const body = await widget.open({
        element: this, root: this.shadowRoot ?? this.attachShadow({ mode: "open" }), origin: page.origin,
        language: page.languageOf(this), settings: this.#settings(),
        tell: (name, detail) => run === this.#run && this.#tell(name, detail),
      }, () => this.#ask("start"));
      if (run === this.#run) this.#body = body;
      else body.close();
    } catch (error) {
      if (run === this.#run) this.#tell("plateia-error", { code: "BLOCKED", text: String(error) });
    }
  }

  #stop(): number {
    this.#body?.close();
    this.#body = null;
    return ++this.#run;
  }

  #tell<K extends keyof Details>(name: K, detail: Details[K]): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

const PROPERTIES = ["event", "mode", "theme", "minPrice", "maxPrice", "categories", "sections", "accessible", "maxSeats", "heading"] as const;

// Properties are the attributes under their JavaScript names: setting one to what it is changes nothing
for (const name of PROPERTIES) {
  const attribute = name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
  Object.defineProperty(PlateiaMap.prototype, name, {
    configurable: true, enumerable: true,
    get(this: HTMLElement) {
      return name === "accessible" ? this.hasAttribute(name) : this.getAttribute(attribute);
    },
    set(this: HTMLElement, value: unknown) {
      const text = value === true ? "" : value === false || value === null || value === undefined ? null : String(value);
      if (text === null) this.removeAttribute(attribute);
      else if (text !== this.getAttribute(attribute)) this.setAttribute(attribute, text);
    },
  });
}

/** Defines the element where there are any, once. */
export function define(): void {
  if (typeof customElements === "object" && !customElements.get("plateia-map")) customElements.define("plateia-map", PlateiaMap);
}

/** The language's own part is here: elements that wait for it go on. */
export function provide(language: string, widget: unknown): void {
  const page: Registry | undefined = registry();
  if (page) page.parts[language] = widget;
}

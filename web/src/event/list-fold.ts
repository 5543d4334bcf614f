import { h } from "../base/dom.ts";
import { notice } from "../ui/notice.ts";
import type { ListPicker } from "./list-picker.ts";
import { t } from "./words.ts";

/** The fold with the lists in it. What is inside is fetched when somebody is about to open it. */
export class ListFold {
  readonly element: HTMLDetailsElement;
  readonly #body = h("div", { class: "fold-body" });
  readonly #make: (picker: typeof ListPicker) => ListPicker;
  #picker: ListPicker | null = null;
  #loading = false;
  #wanted = -1;

  constructor(make: (picker: typeof ListPicker) => ListPicker) {
    this.#make = make;
    const soon = (): void => void this.#load();
    this.element = h("details", { class: "fold", ontoggle: () => this.#opened() },
      h("summary", { onpointerenter: soon, onfocus: soon }, t("listChoose")), this.#body);
  }

  stop(): void {
    this.#picker?.stop();
  }

  changed(ordinals: readonly number[]): void {
    this.#picker?.changed(ordinals);
  }

  /** The fan looks for something else. */
  filtered(): void {
    this.#picker?.filtered();
  }

  placesChanged(): void {
    this.#picker?.placesChanged();
  }

  /** The map looks at this section. */
  show(section: number): void {
    if (section >= 0) this.#wanted = section;
    this.#picker?.show(section);
  }

  #opened(): void {
    this.#picker?.setOpen(this.element.open);
    if (this.element.open) void this.#load();
  }

  async #load(): Promise<void> {
    if (this.#picker || this.#loading) return;
    this.#loading = true;
    try {
      const { ListPicker } = await import("./list-picker.ts");
      this.#picker = this.#make(ListPicker);
      this.#body.replaceChildren(this.#picker.element);
      this.#picker.show(this.#wanted);
      this.#picker.setOpen(this.element.open);
    } catch {
      this.#body.replaceChildren(notice("bad", t("errOffline"), { label: t("retry"), run: () => void this.#load() }));
    }
    this.#loading = false;
  }
}

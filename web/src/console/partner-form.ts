import { h, icons } from "../base/dom.ts";
import { EventPicker, row } from "./event-picker.ts";
import { field, form, input, reason, submit, Unready, whyField } from "./form.ts";
import type { Draft, Partner } from "./types.ts";
import { t } from "./words.ts";

/** What a partner is to be, while it is being written. It is sent as a whole, on the version that it began at. */
export class PartnerForm {
  readonly #name = input({ name: "name", maxlength: 200 });
  readonly #origins = h("ul", { class: "op-rows", id: "op-origins" });
  readonly #origin = input({ name: "origin", inputmode: "url", maxlength: 270, placeholder: "https://venue.example" });
  readonly #all = h("input", { type: "radio", name: "shows", value: "all" });
  readonly #some = h("input", { type: "radio", name: "shows", value: "some" });
  readonly #events = new EventPicker(() => this.#touch());
  readonly #why = whyField();
  readonly #says = h("div", { class: "box" });
  readonly #button = h("button", { class: "button", id: "op-partner-save" }, t("opSave"));
  readonly element: HTMLElement;
  #draft: Draft = { version: 0, name: "", suspended: false, origins: [], allEvents: true, events: [] };
  #touched = false;

  /** save: sends the draft; what it throws is said beside the button. */
  constructor(save: (draft: Draft, why: string) => Promise<void>) {
    const plus = h("button", { class: "button quiet", type: "button", id: "op-origin-add", onclick: () => this.#add() }, t("opOriginAdd"));
    this.#origin.addEventListener("keydown", (e) => {
      if (e.key !== "Enter") return;
      e.preventDefault(); // it adds, and sends nothing
      this.#add();
    });
    this.#name.addEventListener("input", () => this.#touch());
    for (const radio of [this.#all, this.#some]) radio.addEventListener("change", () => {
      this.#events.element.hidden = this.#all.checked;
      this.#touch();
    });
    this.element = form(() => void submit(this.#button, this.#says, async () => {
      await save(this.#read(), reason(this.#why));
      this.#why.value = "";
      this.#touched = false;
    }),
      field(t("opName"), this.#name),
      h("fieldset", { class: "box" }, h("legend", { class: "label" }, t("opOrigins")), h("p", { class: "soft small" }, t("opOriginsHint")), this.#origins,
        field(t("opOriginNew"), this.#origin), plus),
      h("fieldset", { class: "box" }, h("legend", { class: "label" }, t("opShows")),
        h("label", { class: "op-radio" }, this.#all, t("opShowsAll")), h("label", { class: "op-radio" }, this.#some, t("opShowsSome")), this.#events.element),
      field(t("opWhy"), this.#why), this.#says, this.#button);
  }

  /** Whether something is written here that nobody has saved. */
  get touched(): boolean {
    return this.#touched || this.#origin.value.trim() !== "" || this.#why.value.trim() !== "";
  }

  show(p: Partner | null): void {
    if (p) this.#draft = { version: p.version, name: p.name, suspended: p.suspended, origins: [...p.origins], allEvents: p.allEvents, events: [...(p.events ?? [])] };
    this.#touched = false;
    this.#name.value = this.#draft.name;
    this.#all.checked = this.#draft.allEvents;
    this.#some.checked = !this.#draft.allEvents;
    this.#events.element.hidden = this.#draft.allEvents;
    this.#events.events = this.#draft.events;
    this.#showOrigins();
  }

  focus(): void {
    this.#name.focus();
  }

  #touch(): void {
    this.#touched = true;
  }

  #showOrigins(): void {
    this.#origins.replaceChildren(...this.#draft.origins.map((origin) => row(origin, t("opTakeOut"), icons.close, () => {
      this.#draft.origins = this.#draft.origins.filter((other) => other !== origin);
      this.#touch();
      this.#showOrigins();
      this.#origin.focus();
    })));
  }

  /** Whether what was typed is an origin the server decides; here it only joins the list. */
  #add(): void {
    const typed = this.#origin.value.trim();
    if (typed && !this.#draft.origins.includes(typed)) this.#draft.origins.push(typed);
    this.#origin.value = "";
    this.#touch();
    this.#showOrigins();
    this.#origin.focus();
  }

  #read(): Draft {
    this.#says.replaceChildren();
    if (this.#origin.value.trim()) this.#add(); // typed, and saved without the press between
    const name = this.#name.value.trim(), all = this.#all.checked;
    if (!name) throw new Unready(t("opNameMissing"), this.#name);
    if (this.#draft.origins.length === 0) throw new Unready(t("opOriginsMissing"), this.#origin);
    return { ...this.#draft, name, allEvents: all, events: all ? [] : this.#events.events };
  }
}

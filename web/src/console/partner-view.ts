import { announce, h } from "../base/dom.ts";
import { ownDate } from "../i18n/format.ts";
import { notice } from "../ui/notice.ts";
import { field, fold, form, input, reason, submit, Unready, whyField } from "./form.ts";
import { putPartner, removePartner } from "./operator.ts";
import { PartnerForm } from "./partner-form.ts";
import type { Draft, Partner } from "./types.ts";
import { t } from "./words.ts";

export const partnerTag = (p: Partner): HTMLElement => h("span", { class: `tag ${p.suspended ? "bad" : "ok"}` }, t(p.suspended ? "opPartnerOff" : "opPartnerOn"));

/** A random UUID. The console may be reached where crypto.randomUUID is not there, because an internal address has no TLS. */
function newId(): string {
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6]! & 0x0f) | 0x40;
  b[8] = (b[8]! & 0x3f) | 0x80;
  return Array.from(b, (n) => n.toString(16).padStart(2, "0")).join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** One partner on screen, or one that is to be. What is being written survives every refresh. */
export class PartnerView {
  readonly id: string;
  readonly element: HTMLElement;
  readonly #title = h("h2", { id: "op-partner-title", tabindex: -1 });
  readonly #head = h("div", { class: "room-head" });
  readonly #says = h("div", { class: "box" });
  readonly #form: PartnerForm;
  readonly #changed: (p: Partner | null) => void;
  #pause: HTMLElement | null = null;
  #partner: Partner | null;

  /** changed: is told what the partner is now; null: it is gone. */
  constructor(partner: Partner | null, changed: (p: Partner | null) => void) {
    this.id = partner?.partnerId ?? newId();
    this.#partner = partner;
    this.#changed = changed;
    this.#form = new PartnerForm((draft, why) => this.#save(draft, why));
    const editing = h("section", { class: "sheet", "aria-labelledby": "op-partner-title" }, this.#form.element);
    this.element = h("section", { class: "room", "aria-labelledby": "op-partner-title" }, this.#title, this.#head, this.#says,
      partner ? h("div", { class: "room-columns" }, editing, this.#actions()) : h("div", { class: "op-new" }, editing));
    this.#form.show(partner);
    this.#show();
  }

  get version(): number {
    return this.#partner?.version ?? 0;
  }

  /** What was read anew. What is being written stays, and is refused when it is saved on an old version. */
  renew(now: Partner): void {
    if (now.version === this.version) return;
    this.#partner = now;
    if (this.#form.touched) this.#says.replaceChildren(notice("warn", t("opPartnerChanged"), { label: t("opPartnerReload"), run: () => this.#reload() }));
    else this.#form.show(now);
    this.#show();
  }

  focus(): void {
    if (this.#partner) this.#title.focus();
    else this.#form.focus();
  }

  #reload(): void {
    this.#says.replaceChildren();
    this.#form.show(this.#partner);
  }

  #show(): void {
    const p = this.#partner;
    this.#title.textContent = p?.name ?? t("opPartnerNew");
    this.#head.replaceChildren(...(p ? [partnerTag(p), h("span", { class: "soft small" }, t("opPartnerDates", { made: ownDate(p.createdAt), changed: ownDate(p.changedAt) }))]
      : [h("span", { class: "soft" }, t("opPartnerNewLead"))]));
    this.#pause?.replaceChildren(this.#pauseForm());
  }

  async #save(draft: Draft, why: string): Promise<void> {
    this.#became(await putPartner(this.id, draft, why));
  }

  #became(now: Partner): void {
    this.#partner = now;
    this.#says.replaceChildren();
    this.#form.show(now);
    this.#show();
    announce(t("opDone"));
    this.#changed(now);
  }

  #actions(): HTMLElement {
    this.#pause = h("div", null);
    return h("section", { class: "sheet actions", "aria-labelledby": "op-partner-actions" }, h("h3", { id: "op-partner-actions" }, t("opPartnerActions")), this.#pause, this.#removal());
  }

  /** Stops a partner at once, or lets it go on: the saved one, whatever is being written beside. */
  #pauseForm(): HTMLElement {
    const p = this.#partner!, why = whyField(), says = h("div", { class: "box" }), verb = p.suspended ? "resume" : "pause";
    const [title, lead, label] = p.suspended ? [t("opResumePartner"), t("opResumePartnerLead"), t("opResumePartner")] : [t("opPausePartner"), t("opPausePartnerLead"), t("opPausePartner")];
    const button = h("button", { class: p.suspended ? "button" : "button danger", id: `op-partner-${verb}-do` }, label);
    return fold(`op-partner-${verb}`, title, lead, form(() => void submit(button, says, async () => {
      const { version, name, origins, allEvents, events = [] } = this.#partner!;
      this.#became(await putPartner(this.id, { version, name, origins, allEvents, events, suspended: verb === "pause" }, reason(why)));
    }), field(t("opWhy"), why), says, button));
  }

  #removal(): HTMLElement {
    const typed = input(), why = whyField(), says = h("div", { class: "box" }), button = h("button", { class: "button danger", id: "op-partner-remove-do" }, t("opRemovePartner"));
    return fold("op-partner-remove", t("opRemovePartner"), t("opRemovePartnerLead"), form(() => void submit(button, says, async () => {
      if (typed.value.trim() !== this.#partner!.name) throw new Unready(t("opRemoveWrong"), typed);
      await removePartner(this.id, this.version, reason(why));
      announce(t("opDone"));
      this.#changed(null);
    }), field(t("opRemoveType"), typed), field(t("opWhy"), why), says, button));
  }
}

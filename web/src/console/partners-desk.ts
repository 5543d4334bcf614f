import { announce, h, icon, icons } from "../base/dom.ts";
import { state } from "../ui/notice.ts";
import { Audit } from "./audit.ts";
import type { Desk } from "./desk.ts";
import { PARTNER_ACTIONS, partners } from "./operator.ts";
import { PartnerView, partnerTag } from "./partner-view.ts";
import { partnerChange, type Recorded, shows } from "./partner-words.ts";
import { showCards } from "./rooms-desk.ts";
import type { Deed, Partner } from "./types.ts";
import { t } from "./words.ts";

interface PartnerDeed extends Deed { partnerId: string; verb: "add" | "change" | "remove"; before: Recorded | null; after: Recorded | null }

const NEW = "new";

/** Those who sell on pages of their own: all of them, the one that is looked at, and what was done to them. */
export class PartnersDesk implements Desk {
  readonly every = 5000;
  readonly #list = h("ul", { class: "room-list", id: "op-partners" });
  readonly #shown = h("div", { class: "box" });
  readonly #audit = new Audit<PartnerDeed>({
    path: PARTNER_ACTIONS, none: t("opPartnerAuditNone"),
    what: (a) => `${t(`partner_${a.verb}`)}: ${(a.after ?? a.before)?.name ?? a.partnerId}`, change: (a) => partnerChange(a.before, a.after),
  });
  readonly element = h("div", { class: "box" }, h("p", { class: "soft" }, t("opPartnersLead")), h("nav", { "aria-label": t("opPartners") }, this.#list), this.#shown, this.#audit.element);
  readonly #again: () => void;
  #view: PartnerView | null = null;
  #newest = "";

  constructor(again: () => void) {
    this.#again = again;
  }

  async refresh(): Promise<void> {
    if (this.#wanted() === NEW && this.#view?.version !== 0) this.#open(null); // at once: what is typed now is the new one's
    const { partners: all } = await partners<{ partners: Partner[] }>();
    const newest = JSON.stringify(all.map((p) => [p.partnerId, p.version]));
    if (newest !== this.#newest) void this.#audit.load();
    this.#newest = newest;
    await this.#choose(all);
    showCards(this.#list, [...all.map((p) => card(p, p.partnerId === this.#view?.id)), addCard(this.#wanted() === NEW)]);
  }

  #wanted(): string {
    return location.hash.split("/")[1] ?? "";
  }

  /** Shows what the address names, else what is shown, else the first. */
  async #choose(all: Partner[]): Promise<void> {
    const wanted = this.#wanted();
    if (wanted === NEW) return;
    const found = all.find((p) => p.partnerId === (wanted || this.#view?.id));
    if (!found && this.#view && this.#view.id === wanted) return; // saved a moment after this list was read
    const chosen = found ?? all[0];
    if (!chosen) {
      this.#view = null;
      return this.#shown.replaceChildren(state(icons.ticket, t("opNoPartners"), t("opNoPartnersLead"), h("a", { class: "button", href: `#partners/${NEW}` }, t("opPartnerNew"))));
    }
    if (this.#view?.id === chosen.partnerId && this.#view.version === chosen.version) return;
    const whole = await partners<Partner>(`/${chosen.partnerId}`);
    if (this.#view?.id === chosen.partnerId) this.#view.renew(whole);
    else this.#open(whole);
    if (this.#made === chosen.partnerId) this.#view?.focus(); // the button that was pressed is gone
    this.#made = "";
  }

  #made = "";

  #open(partner: Partner | null): void {
    const first = this.#view === null;
    this.#view = new PartnerView(partner, (now) => {
      if (!now || !partner) this.#view = null; // what can be done to a new one is another view's
      if (now && !partner) this.#made = now.partnerId;
      location.hash = now ? `#partners/${now.partnerId}` : "#partners";
      this.#again();
    });
    this.#shown.replaceChildren(this.#view.element);
    if (!partner) this.#view.focus();
    else if (!first) announce(t("opShown", { title: partner.name }));
  }
}

const card = (p: Partner, current: boolean): HTMLElement => h("li", null, h("a", { class: "sheet room-card", href: `#partners/${p.partnerId}`, "aria-current": current ? "true" : null },
  h("b", null, p.name), partnerTag(p), h("span", { class: "soft small origin" }, p.origins.length > 1 ? t("opOriginsMore", { first: p.origins[0]!, n: p.origins.length - 1 }) : p.origins[0] ?? ""),
  h("span", { class: "soft small" }, shows({ allEvents: p.allEvents, events: p.eventCount }))));

const addCard = (current: boolean): HTMLElement =>
  h("li", null, h("a", { class: "sheet room-card add", href: `#partners/${NEW}`, "aria-current": current ? "true" : null }, icon(icons.plus), h("b", null, t("opPartnerNew"))));

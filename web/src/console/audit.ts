import { h } from "../base/dom.ts";
import { ownDate } from "../i18n/format.ts";
import { explained } from "./form.ts";
import { look } from "./operator.ts";
import type { Action } from "./types.ts";
import { t } from "./words.ts";

interface Page { actions: Action[]; nextCursor: string | null }

/** A change in a few words: what was, and what is. */
export function change(before: unknown, after: unknown): string {
  const words = (v: unknown): string => (v == null ? "" : typeof v === "object" ? Object.entries(v).map(([k, x]) => `${k} ${typeof x === "object" ? JSON.stringify(x) : x}`).join(", ") : String(v));
  return [words(before), words(after)].filter(Boolean).join(" → ");
}

/** The audit of a room, newest first. */
export class Audit {
  readonly #rows = h("tbody", null);
  readonly #foot = h("div", { class: "centre" });
  readonly element = h("section", { class: "sheet", "aria-labelledby": "op-audit-title" }, h("h3", { id: "op-audit-title" }, t("opAudit")),
    h("div", { class: "table-wrap", tabindex: 0, role: "region", "aria-labelledby": "op-audit-title" },
      h("table", { class: "rows-table", id: "op-audit" }, h("thead", null, h("tr", null,
        ...[t("opTime"), t("opWhat"), t("opWhom"), t("opWhyColumn"), t("opChange")].map((text) => h("th", { scope: "col" }, text)))), this.#rows)),
    this.#foot);

  readonly #eventId: string;

  constructor(eventId: string) {
    this.#eventId = eventId;
  }

  /** Reads the newest page again, or the one behind a cursor below it. */
  async load(cursor = ""): Promise<void> {
    try {
      const page = await look<Page>(this.#eventId, `/actions${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""}`);
      if (!cursor) this.#rows.replaceChildren();
      this.#rows.append(...page.actions.map(row));
      const next = page.nextCursor;
      this.#foot.replaceChildren(next ? h("button", { class: "button quiet", type: "button", onclick: () => void this.load(next) }, t("opOlder"))
        : this.#rows.children.length ? "" : h("p", { class: "soft small" }, t("opAuditNone")));
    } catch (error) {
      this.#foot.replaceChildren(h("p", { class: "field-error" }, explained(error)));
    }
  }
}

const row = (a: Action): HTMLElement => h("tr", { "data-verb": a.verb },
  h("th", { scope: "row" }, h("time", { datetime: a.at }, ownDate(a.at))), h("td", null, t(`verb_${a.verb}`)), h("td", null, a.who), h("td", null, a.why),
  h("td", { class: "change small" }, change(a.before, a.after)));

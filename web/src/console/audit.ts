import { h } from "../base/dom.ts";
import { ownDate } from "../i18n/format.ts";
import { explained } from "./form.ts";
import { actions } from "./operator.ts";
import type { Deed } from "./types.ts";
import { t } from "./words.ts";

interface Page<D> { actions: D[]; nextCursor: string | null }

/** A change in a few words: what was, and what is. */
export function change(before: unknown, after: unknown): string {
  const words = (v: unknown): string => (v == null ? "" : typeof v === "object" ? Object.entries(v).map(([k, x]) => `${k} ${typeof x === "object" ? JSON.stringify(x) : x}`).join(", ") : String(v));
  return [words(before), words(after)].filter(Boolean).join(" → ");
}

/** How the deeds of an audit are told. */
export interface Telling<D extends Deed> {
  path: string;
  none: string;
  what(deed: D): string;
  change(deed: D): string;
}

/** An audit, newest first. */
export class Audit<D extends Deed> {
  readonly #rows = h("tbody", null);
  readonly #foot = h("div", { class: "centre" });
  readonly element = h("section", { class: "sheet", "aria-labelledby": "op-audit-title" }, h("h3", { id: "op-audit-title" }, t("opAudit")),
    h("div", { class: "table-wrap", tabindex: 0, role: "region", "aria-labelledby": "op-audit-title" },
      h("table", { class: "rows-table", id: "op-audit" }, h("thead", null, h("tr", null,
        ...[t("opTime"), t("opWhat"), t("opWhom"), t("opWhyColumn"), t("opChange")].map((text) => h("th", { scope: "col" }, text)))), this.#rows)),
    this.#foot);

  readonly #telling: Telling<D>;

  constructor(telling: Telling<D>) {
    this.#telling = telling;
  }

  /** Reads the newest page again, or the one behind a cursor below it. */
  async load(cursor = ""): Promise<void> {
    try {
      const page = await actions<Page<D>>(this.#telling.path, cursor);
      if (!cursor) this.#rows.replaceChildren();
      this.#rows.append(...page.actions.map((deed) => this.#row(deed)));
      const next = page.nextCursor;
      this.#foot.replaceChildren(next ? h("button", { class: "button quiet", type: "button", onclick: () => void this.load(next) }, t("opOlder"))
        : this.#rows.children.length ? "" : h("p", { class: "soft small" }, this.#telling.none));
    } catch (error) {
      this.#foot.replaceChildren(h("p", { class: "field-error" }, explained(error)));
    }
  }

  #row(deed: D): HTMLElement {
    return h("tr", { "data-verb": deed.verb },
      h("th", { scope: "row" }, h("time", { datetime: deed.at }, ownDate(deed.at))), h("td", null, this.#telling.what(deed)), h("td", null, deed.who), h("td", null, deed.why),
      h("td", { class: "change small" }, this.#telling.change(deed)));
  }
}

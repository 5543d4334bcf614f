import { newKey } from "../api/client.ts";
import { explain } from "../api/explain.ts";
import { Problem } from "../api/problem.ts";
import type { Money, Order, RefundableTicket, Ticket } from "../api/types.ts";
import { h, icon, icons } from "../base/dom.ts";
import { money, ownDate } from "../i18n/format.ts";
import { busy, isBusy, notice } from "../ui/notice.ts";
import { giveBack } from "./fetch.ts";
import { placeName } from "./tickets.ts";
import { plural, t } from "./giving-words.ts";

interface Choosable { ticket: Ticket; back: RefundableTicket }

/** What comes back for some tickets, and what was paid for them and does not. */
export function sums(chosen: readonly Pick<RefundableTicket, "amount" | "kept">[], currency: string): { back: Money; kept: Money } {
  const sum = (part: "amount" | "kept"): Money => ({ amount: chosen.reduce((all, c) => all + c[part].amount, 0), currency });
  return { back: sum("amount"), kept: sum("kept") };
}

/** Opens the dialog: choose tickets, see what comes back and what does not, confirm, result. The focus returns to the opener. */
export function openGiveBack(order: Order, changed: () => Promise<void>, opener: HTMLElement): void {
  const choosable = order.refundable!.tickets.flatMap((back): Choosable[] => {
    const ticket = order.tickets.find((k) => k.ticketId === back.ticketId);
    return ticket ? [{ ticket, back }] : [];
  });
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "dialog-title" });
  const chosen = new Set<string>(choosable.length === 1 ? [choosable[0]!.ticket.ticketId] : []);
  const picked = (): Choosable[] => choosable.filter((c) => chosen.has(c.ticket.ticketId));
  const close = (): void => dialog.close();
  let working = false;

  function fill(title: string, ...content: (HTMLElement | false)[]): void {
    const heading = h("h2", { id: "dialog-title", tabindex: -1 }, title);
    dialog.replaceChildren(
      h("div", { class: "dialog-head" }, heading, h("button", { class: "remove", type: "button", "aria-label": t("close"), onclick: () => working || close() }, icon(icons.close))),
      ...content.filter((c) => c !== false));
    dialog.scrollTop = 0;
    heading.focus();
  }

  function choose(): void {
    const total = h("div", { class: "box", role: "status" });
    const go = h("button", { class: "button wide", type: "button", id: "give-back-next", onclick: () => (chosen.size > 0 ? confirm() : boxes[0]?.focus()) }, t("giveBackNext"));
    const boxes = choosable.map(({ ticket }) => h("input", { type: "checkbox", value: ticket.ticketId, checked: chosen.has(ticket.ticketId) }));
    const all = h("input", { type: "checkbox", id: "give-back-all" });
    const update = (): void => {
      all.checked = chosen.size === choosable.length;
      all.indeterminate = chosen.size > 0 && !all.checked;
      go.setAttribute("aria-disabled", String(chosen.size === 0));
      total.replaceChildren(...totals(picked(), order.currency));
    };
    const set = (box: HTMLInputElement): void => void (box.checked ? chosen.add(box.value) : chosen.delete(box.value));
    boxes.forEach((box) => box.addEventListener("change", () => (set(box), update())));
    all.addEventListener("change", () => {
      for (const box of boxes) {
        box.checked = all.checked;
        set(box);
      }
      update();
    });
    update();
    fill(t("giveBackWhich"),
      h("fieldset", { class: "picks" }, h("legend", { class: "hush" }, t("giveBackWhich")),
        choosable.length > 1 && h("label", { class: "pick all" }, all, h("b", null, t("giveBackAll"))),
        ...choosable.map(({ ticket, back }, i) => h("label", { class: "pick" }, boxes[i]!, h("span", null, placeName(ticket)), h("span", { class: "num" }, money(back.amount))))),
      total, go);
  }

  function confirm(): void {
    const list = picked(), key = newKey(); // the key of this decision
    const { back } = sums(list.map((c) => c.back), order.currency);
    const trouble = h("div", { class: "box" });
    const yes = h("button", { class: "button danger", type: "button", id: "give-back-yes" }, plural("giveBackYes", list.length));
    yes.addEventListener("click", async () => {
      if (isBusy(yes)) return;
      const ready = busy(yes);
      working = true;
      try {
        await giveBack(order.orderId, list.map((c) => c.ticket.ticketId), key);
        void changed();
        done(list.length, back);
      } catch (error) {
        trouble.replaceChildren(notice("bad", refusal(error)));
        if (error instanceof Problem && error.code !== "OFFLINE") void changed();
      }
      working = false;
      ready();
    });
    fill(plural("giveBackSure", list.length),
      h("ul", { class: "rows" }, ...list.map(({ ticket, back: b }) => h("li", null, h("span", null, placeName(ticket)), h("span", { class: "num" }, money(b.amount))))),
      ...totals(list, order.currency),
      notice("warn", plural("giveBackWarn", list.length)),
      trouble,
      h("div", { class: "pair" }, yes, choosable.length > 1
        ? h("button", { class: "button quiet", type: "button", onclick: () => working || choose() }, t("back"))
        : h("button", { class: "button quiet", type: "button", onclick: () => working || close() }, t("giveBackNo"))));
  }

  function done(n: number, back: Money): void {
    fill(plural("giveBackDone", n),
      h("div", { class: "dialog-done" }, icon(icons.check)),
      h("p", null, back.amount > 0 ? t("giveBackDoneLead", { amount: money(back) }) : t("giveBackDoneNone")),
      h("button", { class: "button wide", type: "button", onclick: close }, t("close")));
  }

  dialog.addEventListener("cancel", (e) => working && e.preventDefault());
  dialog.addEventListener("click", (e) => e.target === dialog && !working && close()); // the backdrop
  dialog.addEventListener("close", () => {
    dialog.remove();
    (opener.isConnected ? opener : document.getElementById("status-title"))?.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  if (choosable.length === 1) confirm();
  else choose();
}

function totals(list: readonly Choosable[], currency: string): HTMLElement[] {
  const { back, kept } = sums(list.map((c) => c.back), currency);
  const line = (name: string, amount: Money, kind: string): HTMLElement => h("p", { class: kind }, h("span", null, name), h("span", { class: "num" }, money(amount)));
  return [line(t("comesBack"), back, "sum"), ...(kept.amount > 0 ? [line(t("isKept"), kept, "kept soft")] : [])];
}

/** Why tickets could not be given back. */
export function refusal(error: unknown): string {
  if (!(error instanceof Problem)) return explain(error);
  switch (error.code) {
    case "REFUND_CLOSED": return typeof error.details.until === "string" ? t("refundClosedAt", { date: ownDate(error.details.until) }) : t("refundClosed");
    case "REFUND_TOO_MUCH":
    case "ORDER_STATE": return t("refundChanged");
    default: return explain(error);
  }
}

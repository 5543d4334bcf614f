import type { Session } from "../api/types.ts";
import { newKey } from "../api/client.ts";
import { adoptKey } from "../auth/device-key.ts";
import { keepAccess } from "../auth/kept.ts";
import { keepSession, session } from "../auth/session.ts";
import { h, icon, icons } from "../base/dom.ts";
import { state } from "../ui/notice.ts";
import type { HandOver } from "./hand-over.ts";
import { type Here, type Other, receive } from "./pay-window.ts";
import { t } from "./words.ts";

const PATIENCE = 60_000; // ms: making an order takes a second, on a bad day some

/**
 * The payment's window: takes the session from the frame that has opened it, keeps it for our own site, and goes to pay.
 * A fan who is signed in here as somebody else is asked: nobody is made another person without a press.
 */
export async function payPage(place: HTMLElement): Promise<void> {
  const opener = ourOpener();
  if (!opener) return show(place, state(icons.ticket, t("payStranger"), t("payStrangerLead")));
  const handed = await receive(opener, here, newKey(), new Promise((done) => setTimeout(done, PATIENCE)));
  if (!handed) return show(place, state(icons.alert, t("payLost"), t("payLostLead")));
  window.opener = null; // nobody is to lead this window elsewhere from here on
  const now = session();
  if (now && now.account.accountId !== handed.session.account.accountId) return ask(place, now, handed);
  await goOn(handed);
}

const here: Here = {
  origin: location.origin,
  addEventListener: (type, heard) => addEventListener(type, heard),
  removeEventListener: (type, heard) => removeEventListener(type, heard),
};

/** The page of ours that has opened this window; null: this is a frame, nobody has, or somebody else has. */
function ourOpener(): Other | null {
  if (window !== window.top) return null;
  try {
    const opener = window.opener as Window | null;
    return opener && opener.location.origin === location.origin ? opener : null; // reading it throws at another origin's
  } catch {
    return null;
  }
}

async function goOn({ session: made, keys, event, access, order }: HandOver): Promise<void> {
  keepSession(made);
  if (access) keepAccess(event, access);
  await adoptKey(keys);
  location.replace(`/pay/${encodeURIComponent(order)}`);
}

function ask(place: HTMLElement, now: Session, handed: HandOver): void {
  const { email } = now.account, other = handed.session.account.email;
  show(place, h("section", { class: "sheet box", id: "other-account" },
    h("div", null, h("h2", { tabindex: -1 }, t("payAccount")), h("p", { class: "soft" }, t("payAccountLead", { email, other }))),
    h("button", { class: "button wide", type: "button", id: "go-on", onclick: () => void goOn(handed) }, t("payAccountGo", { other })),
    h("a", { class: "button quiet wide", href: "/orders" }, icon(icons.close), t("payAccountStay", { email }))));
  place.querySelector("h2")?.focus();
}

function show(place: HTMLElement, ...content: HTMLElement[]): void {
  place.removeAttribute("aria-busy");
  place.replaceChildren(...content);
}

import { isOfSession, session, signOut } from "../auth/session.ts";
import { byId, h } from "../base/dom.ts";
import { t } from "../i18n/text.ts";
import { watchNetwork } from "./network.ts";

/** What every page does first: the current place in the menu, the account. */
export function startPage(here: "events" | "orders" | ""): void {
  document.querySelector(`[data-nav="${here}"]`)?.setAttribute("aria-current", "page");
  showAccount();
  watchNetwork();
  addEventListener("storage", (e) => isOfSession(e) && shown && session()?.account.email !== shown && location.reload());
}

let shown: string | undefined; // whose page this is: it is nobody else's when another tab signs out

/** Shows who is signed in, with a way out. */
export function showAccount(): void {
  const now = session();
  const place = byId("account");
  if (!now) return place.replaceChildren();
  const { email } = now.account;
  shown = email;
  const leave = (): void => {
    signOut();
    location.reload();
  };
  const [before, after] = t("signedInAs", { email: "\n" }).split("\n");
  place.replaceChildren(h("details", { class: "account" },
    h("summary", { "aria-label": t("signedInAs", { email }) }, [...email][0] ?? "?"),
    h("div", { class: "account-menu" },
      h("p", { class: "small" }, before, h("b", null, email), after),
      h("button", { class: "button quiet", type: "button", onclick: leave }, t("signOut")))));
}

import { explain } from "../api/explain.ts";
import { Problem } from "../api/problem.ts";
import { session, signOut } from "../auth/session.ts";
import { soon } from "../base/clock.ts";
import { h, icons } from "../base/dom.ts";
import { t } from "./words.ts";
import { showAccount } from "../ui/account.ts";
import { state } from "../ui/notice.ts";
import { signInForm } from "../ui/sign-in.ts";

const RETRY = 8_000; // ms until somebody who could not be reached is asked again

/**
 * Runs something that needs an account: asks to sign in first (and again when the session has ended), explains a
 * failure with a way to try again, and says plainly when there is nothing at this address.
 */
export async function guarded(place: HTMLElement, lead: string, run: () => Promise<void>): Promise<void> {
  const again = (): void => void guarded(place, lead, run);
  const show = (what: HTMLElement): void => {
    place.removeAttribute("aria-busy");
    place.replaceChildren(what);
  };
  if (!session()) return show(signInForm(t("signIn"), lead, again));
  try {
    await run();
  } catch (error) {
    const code = error instanceof Problem ? error.code : "";
    if (code === "UNAUTHENTICATED") {
      signOut();
      showAccount();
      return again();
    }
    if (code === "NOT_FOUND") {
      return show(state(icons.search, t("orderUnknown"), t("orderUnknownLead"), h("a", { class: "button", href: "/orders" }, t("ordersTitle"))));
    }
    const told = state(icons.alert, t("ordersFailed"), explain(error), h("button", { class: "button", type: "button", onclick: again }, t("retry")));
    told.setAttribute("role", "alert");
    show(told);
    if (code === "OFFLINE") retryWhile(() => told.isConnected, again);
  }
}

/** Tries again by itself, as the message says: in a while, and as soon as there is a network. */
function retryWhile(wanted: () => boolean, again: () => void): void {
  const go = soon(RETRY, () => {
    removeEventListener("online", go);
    if (wanted()) again();
  });
  addEventListener("online", go);
}

import { explain } from "../api/explain.ts";
import { Problem } from "../api/problem.ts";
import { session, signOut } from "../auth/session.ts";
import { h, icons } from "../base/dom.ts";
import { t } from "./words.ts";
import { showAccount } from "../ui/account.ts";
import { notice, state } from "../ui/notice.ts";
import { signInForm } from "../ui/sign-in.ts";

/**
 * Runs something that needs an account: asks to sign in first (and again when the session has ended), explains a
 * failure with a way to try again, and says plainly when there is nothing at this address.
 */
export async function guarded(place: HTMLElement, lead: string, run: () => Promise<void>): Promise<void> {
  const again = (): void => void guarded(place, lead, run);
  if (!session()) return place.replaceChildren(signInForm(t("doorTitle"), lead, again));
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
      return place.replaceChildren(state(icons.search, t("errNotFound"), "", h("a", { class: "button", href: "/orders" }, t("ordersTitle"))));
    }
    place.replaceChildren(notice("bad", explain(error), { label: t("retry"), run: again }));
  }
}

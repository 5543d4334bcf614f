import { byId } from "../base/dom.ts";
import { idFromPath } from "./fetch.ts";
import { t } from "./page-words.ts";
import { OrderPage } from "./page.ts";
import { paid } from "./view.ts";

/** The order of a page's address: title, heading and address follow how it stands. */
export function showOrder(): void {
  const id = idFromPath();
  new OrderPage(id, {
    content: byId("content"),
    turn(order, view) {
      document.title = `${t(`view_${view}`)} · ${order.event.title}`;
      if (paid(view) && location.pathname.startsWith("/pay/")) history.replaceState(null, "", `/orders/${encodeURIComponent(id)}`);
      if (paid(view)) document.querySelector('[data-nav="orders"]')?.setAttribute("aria-current", "page");
      byId("heading").textContent = paid(view) ? t("order") : t("payTitle");
    },
  }).start();
}

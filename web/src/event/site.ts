import { byId } from "../base/dom.ts";
import { t } from "./words.ts";
import { showAccount } from "../ui/account.ts";
import { showHead } from "./head.ts";
import { orderPath, payPath } from "./holding.ts";
import { mapIn } from "./map-place.ts";
import type { Setting, Till } from "./setting.ts";

/**
 * On our own site the fan pays in the same tab: going to another page needs no window, so nothing can be blocked, and the
 * back button leads to the seats.
 */
const till: Till = {
  begin: () => ({ go: ({ paymentUrl }) => location.assign(paymentUrl), stop: () => {} }),
  goOn: (hold, label) => ({ label, href: payPath(hold) }),
  tickets: (order, label) => ({ label, href: orderPath(order) }),
};

/** An event's page on our own site. */
export const site = (): Setting => ({
  panel: byId("panel-inner"), map: mapIn(byId("map")), till, told: { stage: (stage) => (byId("main").dataset.stage = stage) }, account: showAccount,
  lookingAround: document.referrer.startsWith(`${location.origin}/line/`),
  head: (event) => {
    document.title = `${event.title} · Plateia`;
    showHead(event);
  },
  headless: (gone) => (byId("title").textContent = t(gone ? "missingEvent" : "loadFailed")),
  floor: async () => (await import("./shop.ts")).Shop,
});

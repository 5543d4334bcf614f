import { h, icon, icons } from "../base/dom.ts";
import { t } from "../i18n/text.ts";

/** Says that there is no network for as long as there is none, below the header, where it is seen on every page. */
export function watchNetwork(): void {
  if (document.body.classList.contains("room")) return; // the waiting room says more about it than this
  const banner = h("p", { class: "net", role: "status", hidden: true });
  document.querySelector(".top")?.after(banner);
  const show = (): void => {
    banner.hidden = navigator.onLine;
    banner.replaceChildren(...(navigator.onLine ? [] : [icon(icons.alert), h("span", null, t("netOffline"))]));
  };
  addEventListener("offline", show);
  addEventListener("online", show);
  show();
}

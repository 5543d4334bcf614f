import { h, icons } from "../base/dom.ts";
import { t } from "../event/words.ts";
import { state } from "../ui/notice.ts";
import { Missing } from "./missing.ts";
import { w } from "./words.ts";

/** What stands where seats should be: why there are none, and a way on. */
export function troubleCard(error: unknown, origin: string, event: string, again: () => void): HTMLElement {
  const code = error instanceof Missing ? error.code : "UNREACHABLE";
  const ours = h("a", { class: "button quiet", href: event ? `${origin}/events/${encodeURIComponent(event)}` : origin, target: "_blank", rel: "noopener" },
    w("wOpenOurs", { site: new URL(origin).host }));
  const retry = h("button", { class: "button", type: "button", onclick: again }, t("retry"));
  switch (code) {
    case "EVENT": return state(icons.alert, w("wNoEvent"), w("wNoEventLead"));
    case "UNKNOWN_EVENT": return state(icons.alert, w("wUnknown"), w("wUnknownLead"), ours);
    case "NOT_ALLOWED": return state(icons.alert, w("wForbidden"), w("wNotAllowedLead"), ours);
    case "POLICY": return state(icons.alert, w("wForbidden"), w("wPolicyLead"), ours);
    case "BUSY": return state(icons.alert, t("errBusy"), w("wUnreachableLead"), retry);
    default: return state(icons.alert, w("wUnreachable"), w("wUnreachableLead"), retry, ours);
  }
}

import { h, icons } from "../base/dom.ts";
import { t } from "../event/words.ts";
import { state } from "../ui/notice.ts";
import { Missing } from "./missing.ts";
import { takeNoRoom } from "./no-room.ts";
import { w } from "./words.ts";

/** What is behind something that did not come: no answer may mean that this page's origin is not on the event's list, which can be read from everywhere. */
export async function whyMissing(error: Missing, origin: string, event: string): Promise<Missing> {
  if (error.code === "POLICY") return new Missing("POLICY", `Content-Security-Policy: add ${origin} to ${error.message}`);
  if (error.code !== "UNREACHABLE") return error;
  const answer = await fetch(`${origin}/v1/events/${encodeURIComponent(event)}/embed`, { credentials: "omit", signal: AbortSignal.timeout(8000) }).catch(() => null);
  if (!answer?.ok) return error;
  const { origins } = (await answer.json()) as { origins?: string[] };
  if (origins?.includes(location.origin)) return error;
  return new Missing("NOT_ALLOWED", `${location.origin} is not an origin that may show this event`);
}

/** What stands where seats should be: why there are none, and a way on. */
export function troubleCard(error: Missing, origin: string, event: string, again: () => void): HTMLElement {
  const card = cardOf(error.code, origin, event, again);
  if (!error.again) takeNoRoom(card);
  return card;
}

function cardOf(code: Missing["code"], origin: string, event: string, again: () => void): HTMLElement {
  const ours = h("a", { class: "button quiet", href: event && code !== "UNKNOWN_EVENT" ? `${origin}/events/${encodeURIComponent(event)}` : origin, target: "_blank", rel: "noopener" },
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

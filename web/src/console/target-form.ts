import { announce, h } from "../base/dom.ts";
import { count } from "../i18n/speech.ts";
import { field, fold, form, input, reason, submit, Unready, whyField } from "./form.ts";
import { act, look } from "./operator.ts";
import type { Became, Form } from "./pause-form.ts";
import type { Effect, Room } from "./types.ts";
import { rate, span, t } from "./words.ts";

const MOST = 1_000_000;

/** Sets how many may be inside: what it would do is shown first, and only what was shown can be set. */
export function targetForm(room: Room, became: Became): Form {
  const to = input({ inputmode: "numeric", name: "target", maxlength: 9 }), why = whyField();
  const says = h("div", { class: "box" }), lead = h("p", { class: "soft small" }), preview = h("div", { class: "box" });
  const button = h("button", { class: "button quiet", id: "op-preview" }, t("opPreview"));
  to.addEventListener("input", () => preview.replaceChildren()); // another number: what was shown is not what would be set
  const ask = (): void => void submit(button, says, async () => {
    const target = Number(to.value.trim().replace(/[.,\s]/g, ""));
    if (!Number.isInteger(target) || target < 1 || target > MOST) throw new Unready(t("opTargetBad"), to);
    const effect = await look<Effect>(room.eventId, `/target?to=${target}`);
    preview.replaceChildren(effectTable(effect), field(t("opWhy"), why), applyButton(effect));
    why.focus();
  });
  const applyButton = (effect: Effect): HTMLElement => {
    const apply = h("button", { class: "button", type: "button", id: "op-apply", onclick: () => set() }, t("opApply", { n: count(effect.target) }));
    const set = (): void => void submit(apply, says, async () => {
      became(await act<Room>(room.eventId, "target", reason(why), { target: effect.target, from: effect.from }));
      preview.replaceChildren();
      to.value = why.value = "";
      announce(t("opDone"));
    });
    return apply;
  };
  return {
    element: fold("op-target", t("opTargetTitle"), lead, form(ask, field(t("opTargetNew"), to), says, button), preview),
    show: (now) => void (lead.textContent = t("opTargetLead", { n: count(now.target) })),
  };
}

/** What another target would do, beside what is now. */
export function effectTable(e: Effect): HTMLElement {
  const row = (name: string, now: string, then: string): HTMLElement =>
    h("tr", null, h("th", { scope: "row" }, name), h("td", { class: "num" }, now), h("td", { class: "num" }, then));
  const served = (seconds: number): string => (seconds > 0 ? span(seconds) : t("opNobodyWaits"));
  return h("div", { class: "box", id: "op-effect" },
    h("table", { class: "effect" },
      h("thead", null, h("tr", null, h("td", null, ""), h("th", { scope: "col" }, t("opNowColumn")), h("th", { scope: "col" }, t("opThenColumn", { n: count(e.target) })))),
      h("tbody", null,
        row(t("opTargetTitle"), count(e.from), count(e.target)),
        row(t("opEffectRate"), rate(e.perSecondNow), rate(e.perSecond)),
        row(t("opEffectSettles"), "–", span(e.settlesSeconds)),
        row(t("opEffectRest"), served(e.restSecondsNow), served(e.restSeconds)))),
    e.target < e.inside && h("p", { class: "small" }, t("opEffectDown")));
}

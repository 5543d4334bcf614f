import { announce, h } from "../base/dom.ts";
import { count } from "../i18n/speech.ts";
import { notice } from "../ui/notice.ts";
import { choice, field, fold, form, input, reason, submit, Unready, whyField } from "./form.ts";
import { act } from "./operator.ts";
import type { Became, Form } from "./pause-form.ts";
import type { Room } from "./types.ts";
import { t } from "./words.ts";

/** Makes presale codes. They are in the answer and nowhere else. */
export function codesForm(room: Room, changed: () => void): Form {
  const tiers = room.tiers.length ? room.tiers : [{ name: "" }];
  const tier = choice(tiers.map((one, i) => [String(i), one.name ? `${i} · ${one.name}` : String(i)])), n = input({ inputmode: "numeric", maxlength: 6 });
  const why = whyField(), says = h("div", { class: "box" }), lead = h("p", { class: "soft small" });
  const button = h("button", { class: "button", id: "op-codes-do" }, t("opCodesDo"));
  const run = (): void => void submit(button, says, async () => {
    const wanted = Number(n.value.trim());
    if (!Number.isInteger(wanted) || wanted < 1 || wanted > 10_000) throw new Unready(t("opCountBad"), n);
    const made = await act<{ tier: number; codes: string[] }>(room.eventId, "codes", reason(why), { tier: Number(tier.value), count: wanted });
    const file = URL.createObjectURL(new Blob([made.codes.join("\r\n"), "\r\n"], { type: "text/plain" }));
    says.replaceChildren(notice("ok", t("opCodesDone", { n: count(made.codes.length), tier: made.tier })),
      h("a", { class: "button", id: "op-codes-file", href: file, download: `codes-${room.eventId}-tier-${made.tier}.txt` }, t("opDownload")));
    n.value = why.value = "";
    changed();
  });
  return {
    element: fold("op-codes", t("opCodes"), lead, form(run, field(t("opTier"), tier), field(t("opCount"), n), field(t("opWhy"), why), button), says),
    show: (now) => void (lead.textContent = t("opCodesLead", { n: count(now.codes) })),
  };
}

const plain = (text: string): string => text.normalize("NFC").trim().replace(/\s+/g, " ");

/** Begins the line anew. The event's title must be typed. */
export function resetForm(room: Room, became: Became): Form {
  const typed = input(), why = whyField(), says = h("div", { class: "box" });
  const button = h("button", { class: "button danger", id: "op-reset-do" }, t("opResetDo"));
  let epoch = room.epoch;
  const run = (): void => void submit(button, says, async () => {
    if (plain(typed.value) !== plain(room.title)) throw new Unready(t("opResetWrong"), typed);
    became(await act<Room>(room.eventId, "reset", reason(why), { epoch }));
    announce(t("opDone"));
    typed.value = why.value = "";
  });
  return {
    element: fold("op-reset", t("opReset"), t("opResetLead"), form(run, field(t("opResetType", { title: room.title }), typed), field(t("opWhy"), why), says, button)),
    show: (now) => void (epoch = now.epoch),
  };
}

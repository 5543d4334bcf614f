import { h } from "../base/dom.ts";
import { count } from "../i18n/speech.ts";
import type { Phase, Room } from "./types.ts";
import { rate, share, span, t } from "./words.ts";

const TONES: Record<Phase, string> = { before: "off", draw: "warn", open: "ok", paused: "bad", soldout: "off", ended: "off" };

export const phaseTag = (phase: Phase): HTMLElement => h("span", { class: `tag ${TONES[phase]}`, "data-phase": phase }, t(`phase_${phase}`));

/** Why nobody or fewer are let in; "" when all is well. */
export const heldBack = (room: Room): string => (room.reason ? t(`held_${room.reason}`, room.reason === "slow" ? { percent: share(room.throttle) } : {}) : "");

/** The numbers of a room: name, number, what it means. */
export function numbers(room: Room): [name: string, value: string, hint: string][] {
  const bought = room.left.bought ?? 0;
  return [
    [t("opEntered"), count(room.entered), [...room.tiers.map((one) => `${room.tiers.length > 1 ? one.name : t("opLottery")} ${count(one.entered)}`), `${t("opLate")} ${count(room.late)}`].join(" · ")],
    [t("opWaiting"), count(room.waiting), ""],
    [t("opPresent"), room.present === null ? "–" : count(room.present), t("opPresentHint")],
    [t("opCalled"), count(room.called), t("opCalledHint")],
    [t("opInside"), count(room.inside), t("opOf", { n: count(room.target) })],
    [t("opAtDoor"), count(room.atDoor), t("opAtDoorHint")],
    [t("opAdmitted"), count(room.admitted), room.secondChance ? `${t("opSecond")} ${count(room.secondChance)}` : ""],
    [t("opBought"), count(bought), room.admitted ? t("opBoughtHint", { share: share(bought / room.admitted) }) : ""],
    [t("opGaveUp"), count(room.gaveUp.missed + room.gaveUp.inside), t("opGaveUpHint", { missed: count(room.gaveUp.missed), inside: count(room.gaveUp.inside) })],
    [t("opNoShow"), room.passed ? share(room.noShow) : "–", ""],
    [t("opRate"), rate(room.perSecond), t("opRateHint")],
    [t("opStay"), room.staySeconds ? span(room.staySeconds) : "–", ""],
  ];
}

export const tiles = (room: Room): HTMLElement[] => numbers(room).map(([name, value, hint]) =>
  h("div", null, h("dt", null, name), h("dd", { class: "num" }, value, hint ? h("span", { class: "soft small" }, hint) : null)));

import { announce, h } from "../base/dom.ts";
import { field, fold, form, reason, submit, whyField } from "./form.ts";
import { act } from "./operator.ts";
import type { Room } from "./types.ts";
import { spokenTime, t } from "./words.ts";
import { wordsForm } from "./words-form.ts";

export interface Form { element: HTMLElement; show: (room: Room) => void }
export type Became = (room: Room) => void;

/** Pauses a room that goes on, and lets one go on that is paused. */
export function pauseForm(room: Room, became: Became): Form {
  const { eventId } = room;
  const words = wordsForm(), why = whyField(), whyOn = whyField();
  const says = h("div", { class: "box" }), saysOn = h("div", { class: "box" }), lead = h("p", { class: "soft small" });
  const button = h("button", { class: "button", id: "op-pause-do" }, t("opPauseDo"));
  const buttonOn = h("button", { class: "button", id: "op-resume-do" }, t("opResumeDo"));
  const run = (b: HTMLButtonElement, s: HTMLElement, order: () => Promise<Room>): void => void submit(b, s, async () => {
    became(await order());
    announce(t("opDone"));
    why.value = whyOn.value = "";
  });
  const pause = fold("op-pause", t("opPause"), t("opPauseLead"), form(() => run(button, says, () => {
    const message = words.value();
    return act<Room>(eventId, "pause", reason(why), message);
  }), ...words.elements, field(t("opWhy"), why), says, button));
  const resume = fold("op-resume", t("opResume"), lead, form(() => run(buttonOn, saysOn, async () => act<Room>(eventId, "resume", reason(whyOn))), field(t("opWhy"), whyOn), saysOn, buttonOn));
  return {
    element: h("div", null, pause, resume),
    show: (now) => {
      const over = now.phase === "soldout" || now.phase === "ended";
      pause.hidden = now.held || over;
      resume.hidden = !now.held || over;
      lead.textContent = now.pausedSince ? t("opResumeLead", { time: spokenTime(now.pausedSince) }) : t("opHeldLead");
    },
  };
}

/** Tells everybody in the line something, or takes it away. */
export function messageForm(room: Room, became: Became): Form {
  const words = wordsForm(), why = whyField(), says = h("div", { class: "box" }), told = h("p", { class: "notice-text" });
  const button = h("button", { class: "button", id: "op-message-do" }, t("opMessageDo"));
  const off = h("button", { class: "button quiet", type: "button", onclick: () => run(off, () => null) }, t("opMessageOff"));
  const run = (b: HTMLButtonElement, message: () => object | null): void => void submit(b, says, async () => {
    const body = { message: message() };
    became(await act<Room>(room.eventId, "message", reason(why), body));
    announce(t("opDone"));
    why.value = "";
    words.clear();
  });
  return {
    element: fold("op-message", t("opMessage"), t("opMessageLead"), told, form(() => run(button, words.value), ...words.elements, field(t("opWhy"), why), says, h("div", { class: "op-pair" }, button, off))),
    show: (now) => {
      off.hidden = told.hidden = now.message === null;
      told.textContent = now.message ? now.message.text[document.documentElement.lang] ?? Object.values(now.message.text)[0] ?? "" : "";
    },
  };
}

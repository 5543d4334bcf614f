import { h, icon, icons } from "../base/dom.ts";

export type Tone = "warn" | "bad" | "ok";

/** A way on: a button, or a link when it leads to another page. */
export type Action = { label: string } & ({ run: () => void } | { href: string });

/** A message in the page with an optional way on. Bad ones are alerts, so that they are read aloud at once. */
export function notice(tone: Tone, text: string, action?: Action): HTMLElement {
  return h("div", { class: `notice ${tone}`, role: tone === "bad" ? "alert" : null },
    icon(tone === "ok" ? icons.check : icons.alert),
    h("p", null, text),
    action && way(action, "button quiet"));
}

/** The way on itself. */
export const way = (action: Action, kind: string): HTMLElement => "href" in action
  ? h("a", { class: kind, href: action.href }, action.label)
  : h("button", { class: kind, type: "button", onclick: action.run }, action.label);

/** A whole-area state: nothing found, failed, closed. */
export function state(path: string, title: string, lead: string, ...actions: (HTMLElement | false)[]): HTMLElement {
  return h("div", { class: "state" }, icon(path), h("h2", null, title), h("p", null, lead), ...actions);
}

/** Marks a button as working; the answer undoes it. It keeps its focus, and a second press does nothing. */
export function busy(button: HTMLButtonElement, label?: string): () => void {
  const before = button.textContent;
  button.setAttribute("aria-disabled", "true");
  button.classList.add("busy");
  if (label) button.textContent = label;
  return () => {
    button.removeAttribute("aria-disabled");
    button.classList.remove("busy");
    if (label) button.textContent = before;
  };
}

export const isBusy = (button: HTMLButtonElement): boolean => button.getAttribute("aria-disabled") === "true";

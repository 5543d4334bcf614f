import { Problem } from "../api/problem.ts";
import { h } from "../base/dom.ts";
import { busy, isBusy, notice } from "../ui/notice.ts";
import { t } from "./words.ts";

let fields = 0;

/** A labelled control. */
export function field<T extends HTMLElement>(label: string, control: T, hint = ""): HTMLElement {
  control.id ||= `op-${++fields}`;
  const about = hint ? h("p", { class: "soft small", id: `${control.id}-hint` }, hint) : null;
  if (about) control.setAttribute("aria-describedby", about.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, about);
}

export const input = (props: Record<string, string | number | boolean> = {}): HTMLInputElement => h("input", { class: "input", type: "text", autocomplete: "off", ...props });

export const choice = (options: [value: string, label: string][]): HTMLSelectElement =>
  h("select", { class: "select" }, ...options.map(([value, label]) => h("option", { value }, label)));

/** A reason for the audit, which every change needs. */
export const whyField = (): HTMLInputElement => input({ name: "why", maxlength: 200 });

/** What an operator typed is not enough; the field gets the focus. */
export class Unready extends Error {
  readonly where: HTMLElement;

  constructor(text: string, where: HTMLElement) {
    super(text);
    this.where = where;
  }
}

/** The reason typed, or a refusal to go on without. */
export function reason(why: HTMLInputElement): string {
  const text = why.value.trim();
  if (!text) throw new Unready(t("opWhyMissing"), why);
  return text;
}

/** Runs what a form asks for: once at a time, with the refusal beside it. Resolves to whether it went well. */
export async function submit(button: HTMLButtonElement, says: HTMLElement, work: () => Promise<void>): Promise<boolean> {
  if (isBusy(button)) return false;
  const done = busy(button);
  says.replaceChildren();
  try {
    await work();
    return true;
  } catch (error) {
    says.replaceChildren(notice("bad", explained(error)));
    if (error instanceof Unready) error.where.focus();
    return false;
  } finally {
    done();
  }
}

/** What went wrong, in the server's words where it has some: they are meant for people. */
export const explained = (error: unknown): string =>
  error instanceof Unready || (error instanceof Problem && error.code !== "OFFLINE") ? error.message : t("errOffline");

/** One thing that can be done to a room, folded away until it is wanted. */
export const fold = (id: string, title: string, lead: HTMLElement | string, ...rest: (HTMLElement | null)[]): HTMLDetailsElement =>
  h("details", { class: "fold", id, name: "op-action" }, h("summary", null, title), h("div", { class: "fold-body" }, typeof lead === "string" ? h("p", { class: "soft small" }, lead) : lead, ...rest));

/** A form that never leaves the page. */
export function form(run: () => void, ...children: (HTMLElement | null)[]): HTMLFormElement {
  return h("form", { class: "op-form", novalidate: true, onsubmit: (e: Event) => (e.preventDefault(), run()) }, ...children);
}

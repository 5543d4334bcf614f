import { explain } from "../api/explain.ts";
import { Problem } from "../api/problem.ts";
import { dropSent, keepSent, keptSent } from "../auth/code-sent.ts";
import { type CodeSent, requestCode, signIn } from "../auth/session.ts";
import { h } from "../base/dom.ts";
import { t } from "../i18n/text.ts";
import { showAccount } from "./account.ts";
import { busy, isBusy, notice } from "./notice.ts";

/** The two steps of signing in: address (email is there already when it is known), then code. done is called once there is a session. */
export function signInForm(title: string, lead: string, done: () => void, email = ""): HTMLElement {
  const root = h("section", { class: "sheet box sign-in", "aria-labelledby": "sign-in-title" });
  let over = false; // signed in: the form stays until the page replaces it, and a late Enter must not send the used code again

  function askAddress(): void {
    dropSent();
    const field = h("input", {
      class: "input", id: "email", name: "email", type: "email", autocomplete: "email", inputmode: "email", required: true,
      maxlength: 254, spellcheck: "false", autocapitalize: "none", value: email, "aria-describedby": "email-error",
    });
    form(title, lead, h("div", { class: "field" }, h("label", { for: "email" }, t("email")), field, errorLine("email")), t("sendCode"), async (fail) => {
      email = field.value.trim();
      if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(email)) return fail(field, "email", t("emailInvalid"));
      askCode(await send());
    });
  }

  async function send(): Promise<CodeSent> {
    const sent = await requestCode(email);
    keepSent(email, sent);
    return sent;
  }

  /** again: it is not the first code that this form has asked for. */
  function askCode(sent: CodeSent, again = false): void {
    const field = h("input", {
      class: "input code-input", id: "code", name: "code", inputmode: "numeric", autocomplete: "one-time-code", required: true,
      maxlength: 9, "aria-describedby": "code-error",
    });
    let refused = ""; // sending it again would only use up a try
    const hint = sent.devInbox && h("p", { class: "small" }, `${t("devHint")} `, h("a", { href: sent.devInbox, target: "_blank", rel: "noopener" }, t("devInbox")));
    form(t("codeTitle"), t(again ? "codeResent" : "codeSent", { email }), h("div", { class: "field" }, h("label", { for: "code" }, t("code")), field, errorLine("code"), hint), t("confirm"), async (fail) => {
      const code = field.value.replace(/\D/g, "");
      if (code.length !== 6 || code === refused) return fail(field, "code", t("codeInvalid"));
      try {
        await signIn(email, code);
      } catch (error) {
        if (!(error instanceof Problem) || (error.status !== 401 && error.status !== 400)) throw error;
        refused = code;
        return fail(field, "code", t("codeInvalid"));
      }
      over = true;
      dropSent();
      showAccount();
      done();
    }, h("div", { class: "ways-on" }, another(), h("button", { class: "button plain", type: "button", onclick: askAddress }, t("otherEmail"))));
    field.addEventListener("input", () => {
      if (field.value.replace(/\D/g, "").length === 6) root.querySelector("form")?.requestSubmit();
    });
    field.focus();
  }

  /** Has another code sent; the newest is the one that counts. */
  function another(): HTMLElement {
    const button = h("button", { class: "button plain", type: "button" }, t("codeAgain"));
    button.addEventListener("click", async () => {
      if (over || isBusy(button)) return;
      const ready = busy(button);
      try {
        askCode(await send(), true);
      } catch (error) {
        ready();
        root.querySelector(".trouble")?.replaceChildren(notice("bad", explain(error)));
      }
    });
    return button;
  }

  type Fail = (field: HTMLInputElement, id: string, text: string) => void;

  function form(heading: string, text: string, field: HTMLElement, action: string, submit: (fail: Fail) => Promise<void>, extra?: HTMLElement): void {
    const button = h("button", { class: "button wide" }, action);
    const trouble = h("div", { class: "trouble" });
    const fail: Fail = (input, id, message) => {
      input.setAttribute("aria-invalid", "true");
      root.querySelector(`#${id}-error`)!.textContent = message;
      input.focus();
    };
    const onsubmit = async (e: SubmitEvent): Promise<void> => {
      e.preventDefault();
      if (over || isBusy(button)) return;
      trouble.replaceChildren();
      for (const line of root.querySelectorAll(".field-error")) line.textContent = "";
      const ready = busy(button);
      try {
        await submit(fail);
      } catch (error) {
        trouble.replaceChildren(notice("bad", explain(error)));
      }
      if (!over) ready();
    };
    root.replaceChildren(
      h("h2", { id: "sign-in-title" }, heading), h("p", { class: "soft" }, text), trouble,
      h("form", { class: "box", novalidate: true, onsubmit }, field, button, extra));
  }

  const known = keptSent(email);
  if (known) {
    email = known.email;
    askCode(known.sent);
  } else askAddress();
  return root;
}

const errorLine = (id: string): HTMLElement => h("p", { class: "field-error", id: `${id}-error`, role: "alert" });

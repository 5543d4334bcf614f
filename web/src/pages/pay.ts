import type { Order } from "../api/types.ts";
import { explain } from "../api/problem.ts";
import { clock } from "../base/clock.ts";
import { milestone, mmss } from "../base/countdown.ts";
import { announce, byId, h } from "../base/dom.ts";
import { tabbed } from "../base/storage.ts";
import { t } from "../order/words.ts";
import { cancelOrder, getOrder, idFromPath, payAgain } from "../order/fetch.ts";
import { guarded } from "../order/guarded.ts";
import { deadline, nextLook, payState, type PayState } from "../order/pay-state.ts";
import { slip } from "../order/slip.ts";
import { startPage } from "../ui/account.ts";
import { busy, isBusy, notice } from "../ui/notice.ts";

const id = idFromPath();
const place = byId("content");
const step = h("div", { class: "box" });
const VISITED = `plateia.visited.${id}`; // the attempt whose payment page this tab has opened

let shown: PayState | "" = "";
let attempt = "";
let looks = 0;
let timer: ReturnType<typeof setTimeout>;
let ends: number | null = null;
let left = Infinity;
const clockFace = h("b", { role: "timer", class: "num", "aria-label": t("timeLeft") });

function look(): Promise<void> {
  clearTimeout(timer);
  return guarded(place, t("paySignIn"), async () => {
    const order = await getOrder(id);
    const state = payState(order, clock.now(), tabbed.get(VISITED));
    if (state === "order") return location.replace(`/orders/${encodeURIComponent(id)}`);
    show(order, state);
    const wait = nextLook(state, looks++, document.hidden);
    if (wait !== null) timer = setTimeout(() => void look(), wait);
  });
}

function show(order: Order, state: PayState): void {
  ends = state === "gone" ? null : deadline(order);
  if (state === shown && attempt === (order.payment?.attemptId ?? "") && step.isConnected) return;
  const first = shown === "";
  shown = state;
  attempt = order.payment?.attemptId ?? "";
  const heading = h("h2", { tabindex: -1 }, title(state));
  step.replaceChildren(h("section", { class: "sheet next" }, heading, ...body(order, state)));
  if (!step.isConnected) place.replaceChildren(step, slip(order));
  if (!first) {
    heading.focus();
    announce(title(state));
  }
}

function title(state: PayState): string {
  switch (state) {
    case "preparing": return t("payPreparing");
    case "continue": return t("paySummary");
    case "declined": return t("payDeclined");
    case "gone": return t("payGone");
    default: return t("payWaiting");
  }
}

function body(order: Order, state: PayState): HTMLElement[] {
  const spinner = (text: string): HTMLElement => h("div", { class: "waiting" }, h("div", { class: "spinner" }), h("p", { class: "soft" }, text));
  const again = h("a", { class: "button wide", href: `/events/${encodeURIComponent(order.eventId)}` }, t("chooseAgain"));
  switch (state) {
    case "preparing": return [spinner(t("payPreparingLead")), timeLeft()];
    case "continue": return [h("p", { class: "soft" }, t("payLead")), timeLeft(), onward(order, t("payContinue")), cancel()];
    case "waiting": return [spinner(t("payWaitingLead")), timeLeft(), ...(order.payment?.actionUrl ? [onward(order, t("payReopen"))] : [])];
    case "delayed": return [spinner(t("payDelayed")), timeLeft()];
    case "declined": return [h("p", { class: "soft" }, t("payDeclinedLead")), timeLeft(), retry(), cancel()];
    default: return [h("p", { class: "soft" }, t("payGoneLead")), again];
  }
}

const timeLeft = (): HTMLElement => h("p", null, `${t("timeLeft")}: `, clockFace);

/** The link to the provider's page. Going there is remembered, so that coming back shows "waiting". */
function onward(order: Order, label: string): HTMLElement {
  const { attemptId, actionUrl } = order.payment!;
  return h("a", { class: "button wide", href: safeUrl(actionUrl!), id: "to-provider", onclick: () => tabbed.set(VISITED, attemptId) }, label);
}

/** Only web addresses: an action URL is data from elsewhere. */
function safeUrl(url: string): string {
  const parsed = new URL(url, location.origin);
  return parsed.protocol === "https:" || parsed.protocol === "http:" ? parsed.href : "#";
}

const retry = (): HTMLElement => action(t("payAgain"), "button wide", () => payAgain(id));

function cancel(): HTMLElement {
  const button = h("button", { class: "button plain", type: "button" }, t("payCancel"));
  button.addEventListener("click", () => {
    const yes = action(t("payCancelYes"), "button danger", () => cancelOrder(id));
    const no = h("button", { class: "button quiet", type: "button", onclick: () => group.replaceWith(button) }, t("payCancelNo"));
    const group = h("div", { class: "box", role: "group", "aria-label": t("payCancelSure") }, h("p", null, t("payCancelSure")), h("div", { class: "pair" }, yes, no));
    button.replaceWith(group);
    no.focus();
  });
  return button;
}

function action(label: string, kind: string, work: () => Promise<unknown>): HTMLButtonElement {
  const button = h("button", { class: kind, type: "button" }, label);
  button.addEventListener("click", async () => {
    if (isBusy(button)) return;
    const ready = busy(button);
    try {
      await work();
      shown = "preparing"; // whatever comes next is news
      looks = 0;
      await look();
    } catch (error) {
      button.before(notice("bad", explain(error)));
    }
    ready();
  });
  return button;
}

setInterval(() => {
  if (ends === null) return;
  const now = ends - clock.now();
  clockFace.textContent = mmss(now);
  const passed = left === Infinity ? null : milestone(left, now);
  if (passed) announce(t(({ 300: "left5", 120: "left2", 60: "left1", 30: "left30" } as const)[passed]));
  if (left > 0 && now <= 0) void look();
  left = now;
}, 250);

startPage("");
document.addEventListener("visibilitychange", () => !document.hidden && void look());
window.addEventListener("pageshow", (e) => e.persisted && void look());
void look();

import { json } from "../api/client.ts";
import { explain } from "../api/explain.ts";
import { Problem } from "../api/problem.ts";
import type { Hold } from "../api/types.ts";
import { session } from "../auth/session.ts";
import { byId, h } from "../base/dom.ts";
import { tabbed } from "../base/storage.ts";
import { EventPage } from "../event/page.ts";
import { showHead } from "../event/head.ts";
import type { FloorMaker, MapPlace, Setting } from "../event/setting.ts";
import type { Stage } from "../event/stage.ts";
import { zonedDate } from "../i18n/format.ts";
import { type OrderView, paid, unpaid } from "../order/view.ts";
import { showAccount, startPage } from "../ui/account.ts";
import { FrameChannel } from "./channel.ts";
import type { Counter } from "./counter.ts";
import type { OrderSheet } from "./order-sheet.ts";
import { Palette } from "./palette.ts";
import { seen } from "./seen.ts";
import type { Filters, FrameStage, Theme, ToFrame } from "./protocol.ts";
import { heldNews, requestOf } from "./said.ts";
import { FrameTill } from "./till.ts";
import { t } from "./words.ts";

const AGAIN = 2000; // ms until a script that did not come is asked for again

/** Our frame in a partner's page: an event's door, line, hold and payment, with its map or, where the partner's page has that, without. */
export class FramePage {
  readonly #id: string;
  readonly #map: MapPlace | null;
  readonly #panel = byId("panel-inner");
  readonly #seats = h("div", { class: "panel-part" });
  readonly #palette = new Palette(document.documentElement, document.styleSheets, seen);
  readonly #channel: FrameChannel;
  readonly #till: FrameTill;
  readonly #page: EventPage;
  #stage: Stage | "" = "";
  #hold: Hold | null = null;
  #following = ""; // the order that is shown in the seats' place
  #sheet: OrderSheet | null = null;
  #view: OrderView | "" = "";
  #floor: Counter | null = null;
  #limits: Filters = {}; // what the host shows of the event

  constructor(id: string, map: MapPlace | null) {
    this.#id = id;
    this.#map = map;
    this.#channel = new FrameChannel(around, { heard: (m) => this.#heard(m), origins: (fresh) => origins(id, fresh), tooNew: t("tooNew") });
    this.#till = new FrameTill(id, { ...around, origin: location.origin, open: () => open("/embed/v1/pay", "_blank") }, {
      checkout: () => this.#channel.tell({ type: "checkout" }), follow: (order) => this.#follow(order),
    });
    this.#page = new EventPage(id, this.#setting());
  }

  start(): void {
    startPage("");
    this.#panel.replaceChildren(this.#seats);
    const kept = session() && tabbed.get(this.#orderKey());
    if (kept) this.#follow(kept);
    if (!this.#map) new ResizeObserver(() => this.#channel.tell({ type: "size", height: byId("main").scrollHeight })).observe(byId("main"));
    this.#tellStage();
    void this.#page.start();
  }

  #setting(): Setting {
    return {
      panel: this.#seats, map: this.#map, till: this.#till, lookingAround: false, account: showAccount,
      head: (event) => showHead(event, zonedDate),
      headless: () => byId("title").replaceChildren("Plateia"),
      floor: () => this.#makeFloor(),
      room: async (enter, inside) => (laterStyles(), (await import("./room.ts")).waitHere(this.#id, enter, inside)),
      told: {
        stage: (stage) => {
          this.#stage = stage;
          this.#tellStage();
        },
        chart: (model) => model.filter.limit(this.#limits),
        hold: (hold) => this.#held(hold),
        lost: (seats) => void (seats.length > 0 && this.#channel.tell({ type: "lost", seats })),
        order: (id) => void (id === this.#following && this.#sheet?.tried()),
        trouble: (error) => this.#channel.tell({ type: "error", code: error instanceof Problem ? error.code : "INTERNAL", text: explain(error) }),
      },
    };
  }

  async #makeFloor(): Promise<FloorMaker> {
    if (this.#map) return (await import("./frame-shop.ts")).shopThatTells((chosen) => this.#channel.tell({ type: "select", ...chosen }));
    const { Counter } = await import("./counter.ts"), page = this;
    return class extends Counter {
      constructor(...[model, actions]: ConstructorParameters<FloorMaker>) {
        super(model, actions, () => page.#channel.tell({ type: "close" }));
        page.#floor = this;
      }
    };
  }

  // ---- what the host says

  #heard(message: ToFrame): void {
    switch (message.type) {
      case "choose":
      case "best": return this.#ask(message);
      case "theme":
        return this.#wear(message);
      case "open": return this.#show();
      case "show":
        this.#limits = message;
        return this.#page.model?.filter.limit(this.#limits);
      case "close": return;
    }
  }

  #wear(theme: Theme): void {
    const why = this.#palette.wear(theme);
    document.body.classList.toggle("titled", theme.titled === true);
    if (why) this.#channel.tell({ type: "error", code: "CONTRAST", text: why });
    this.#page.map?.map.retheme();
  }

  /** Seats are wanted. While others are being paid for nothing changes: the sheet shows it. */
  #ask(wanted: Extract<ToFrame, { type: "choose" | "best" }>): void {
    if (this.#following && (this.#view === "" || unpaid(this.#view))) return this.#show();
    if (this.#following) this.#leave();
    this.#floor?.asking();
    this.#page.ask(requestOf(wanted));
  }

  #show(): void {
    this.#panel.scrollIntoView({ block: "nearest" });
    this.#panel.querySelector<HTMLElement>("h2[tabindex], input, button")?.focus({ preventScroll: true });
  }

  // ---- holds and orders

  #held(hold: Hold | null): void {
    this.#hold = hold;
    this.#channel.tell({ type: "hold", hold: heldNews(hold) });
    if (hold?.state === "PAYING" && hold.orderId && hold.orderId !== this.#following) this.#follow(hold.orderId);
    this.#tellStage();
  }

  /** Where this tab's last order is remembered: a reload after the payment shows its tickets again. */
  #orderKey(): string {
    return `plateia.order.${this.#id}.${session()?.account.accountId ?? ""}`;
  }

  #follow(order: string): void {
    if (order === this.#following) return this.#sheet?.tried();
    this.#leaveSheet();
    this.#following = order;
    tabbed.set(this.#orderKey(), order);
    void this.#openSheet(order);
  }

  async #openSheet(order: string): Promise<void> {
    laterStyles();
    const code = await import("./order-sheet.ts").catch(() => null);
    if (order !== this.#following || this.#sheet) return;
    if (!code) return void setTimeout(() => void this.#openSheet(order), AGAIN);
    this.#sheet = new code.OrderSheet(order, this.#till, {
      leave: () => this.#leave(),
      turn: (view) => {
        if (this.#view === "" && document.hasFocus() && document.activeElement === document.body) this.#sheet?.focus(); // what had it is gone
        this.#view = view;
        this.#channel.tell({ type: "order", status: code.orderNews(view) });
        this.#tellStage();
        if (!unpaid(view)) void this.#page.look();
      },
    });
    this.#panel.replaceChildren(this.#sheet.element);
    scrollTo({ top: 0 });
  }

  #leaveSheet(): void {
    this.#sheet?.stop();
    this.#sheet = null;
    this.#view = this.#following = "";
  }

  /** Back to the seats. */
  #leave(): void {
    tabbed.remove(this.#orderKey());
    this.#leaveSheet();
    this.#panel.replaceChildren(this.#seats);
    this.#tellStage();
    void this.#page.look();
    if (!this.#map) this.#channel.tell({ type: "close" });
  }

  #tellStage(): void {
    this.#channel.tell({ type: "stage", stage: this.#stageNow() });
  }

  #stageNow(): FrameStage {
    if (this.#following && (this.#view === "" || unpaid(this.#view))) return "paying";
    if (this.#view !== "" && paid(this.#view)) return "tickets";
    if (this.#hold && this.#stage === "shop") return "hold";
    return this.#stage || "loading";
  }
}

/** Switches on the styles of waiting room and order (build.mjs), which most who look at seats never need. */
function laterStyles(): void {
  for (const sheet of document.querySelectorAll<HTMLLinkElement>("link[data-later]")) sheet.media = "all";
}

const around = {
  parent: window.parent === window ? null : window.parent,
  addEventListener: (type: "message", heard: (e: MessageEvent) => void): void => addEventListener(type, heard),
  removeEventListener: (type: "message", heard: (e: MessageEvent) => void): void => removeEventListener(type, heard),
  wait: (ms: number): Promise<unknown> => new Promise((done) => setTimeout(done, ms)),
};

/** Who may show the event; our own site may, as the frame's policy says too. */
async function origins(id: string, fresh: boolean): Promise<string[]> {
  const list = await json<{ origins: string[] }>(`/v1/events/${encodeURIComponent(id)}/embed`, { cache: fresh ? "no-cache" : "default" });
  return [location.origin, ...list.origins];
}

/**
 * Starts the frame of the event that the address names. Opened as a page it would have nobody to talk to, and its payments no way back:
 * then it leads to the event's own page.
 */
export function startFrame(makeMap: () => MapPlace | null): void {
  const id = decodeURIComponent(location.pathname.split("/")[4] ?? "");
  if (around.parent) new FramePage(id, makeMap()).start();
  else void import("./unframed.ts").then(({ sayUnframed }) => sayUnframed(id), () => location.replace(`/events/${encodeURIComponent(id)}`));
}

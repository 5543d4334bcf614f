import type { FrameStage, ToFrame, ToHost } from "../embed/protocol.ts";
import type { EventDetail, EventState } from "../api/types.ts";
import { shortDate } from "../i18n/format.ts";
import { h, icons } from "../base/dom.ts";
import { tabbed } from "../base/storage.ts";
import type { BestQuery } from "../event/best-form.ts";
import { Chooser } from "../event/chooser.ts";
import { MapView } from "../event/map-view.ts";
import { EventModel } from "../event/model.ts";
import type { Wishes } from "../event/wanted.ts";
import { t } from "../event/words.ts";
import { HELD } from "../map/book.ts";
import { dropLost, dropLostPlaces, isEdited, isHolding, takeHold } from "../map/holding.ts";
import { state } from "../ui/notice.ts";
import type { Asked, Held, Selection } from "./body.ts";
import { judge } from "./palette.ts";
import { type Desk, type Panel, type PanelContext, part, type ViewCode } from "./parts.ts";
import { Standing } from "./standing.ts";
import { w } from "./words.ts";

/** A chooser that says when what is chosen is something else. */
class TellingChooser extends Chooser {
  told: () => void = () => {};

  override renderChoice(): void {
    super.renderChoice();
    this.told?.();
  }
}

/** The panel beside (or below) the map: what can be done here depends on the event's state and on where the fan stands. */
export class SeatPanel implements Panel {
  readonly #c: PanelContext;
  readonly #model: EventModel;
  readonly #view: MapView;
  #desk: Desk | null = null;
  #coming: Promise<Desk> | null = null;
  readonly #standing: Standing;
  #chooser: TellingChooser | null = null;
  #shown = ""; // the state that the panel was made for
  #stage: FrameStage = "loading";
  #asking = false; // our own hold is being made: that seats become "held" is no loss
  #again = false;
  #said = "";
  #soldOut = false;
  hold: Held | null = null;

  constructor(context: PanelContext) {
    const { detail, chart, book, bare, limits } = (this.#c = context);
    this.#model = new EventModel(detail, chart, book);
    this.#view = new MapView(context.mapPlace, this.#model, bare, {
      tap: (o) => this.#chooser?.toggle(o), area: (section) => this.#chooser?.openArea(section), looking: (section) => this.#chooser?.looking(section),
      view: this.#see,
    });
    this.#standing = new Standing(context.now, () => this.#show());
    this.limit(limits);
    this.#judge();
    this.#recall();
    this.#fill();
    // only the frame knows whether seats are held: who has used it in this tab gets it at once
    this.#again = tabbed.get(this.#key) !== null;
    if (this.#again) this.#frame().catch(() => {});
    if (book.known) this.changed([]);
  }

  /** What was chosen here before a reload. Of that some may be lost: the seats' state says so. */
  #recall(): void {
    const model = this.#model, { book } = model, kept = tabbed.get(this.#kept);
    if (!kept || book.size) return;
    for (const o of kept.split("\n").map((label) => model.ordinal(label))) if (o >= 0 && !book.keptFrom(o) && book.size < model.max) book.chosen.add(o);
    this.#touched([...book.chosen]);
  }

  // ---- what is shown

  renew(detail: EventDetail): void {
    this.#model.renew(detail);
    this.#desk?.dress();
    this.#fill();
  }

  limit(limits: Wishes): void {
    this.#model.keep(this.#c.now());
    this.#model.filter.limit(limits);
  }

  dress(): void {
    this.#judge();
    this.#desk?.dress();
  }

  #judge(): void {
    const { box, bare, host } = this.#c;
    if (judge(box.skin, (text) => host.tell("plateia-error", { code: "CONTRAST", text }))) bare.map.retheme();
  }

  readonly #touched = (ordinals: readonly number[]): void => this.#view.map.changed(ordinals);

  /** What one sees from a section, over the element's map. */
  readonly #see = (section: number): void => {
    const { box, host, mapPlace } = this.#c;
    part<ViewCode>("view").then(({ sheet, show }) => {
      box.adopt(sheet);
      show(this.#model, section, mapPlace, (path, Accept) => fetch(host.origin + path, { headers: { Accept }, credentials: "omit" }));
    }, () => {});
  };

  #fill(): void {
    const { detail } = this.#model;
    const shop = detail.state === "on_sale" || this.hold !== null;
    const shown = JSON.stringify([shop || detail.state, detail.categories, detail.rules]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#chooser?.stop();
    this.#chooser = null;
    if (shop) return this.#shop();
    const desk = (label: string): HTMLElement => h("button", { class: "button", type: "button", onclick: () => this.#show() }, label);
    const card = {
      scheduled: () => state(icons.clock, t("soonTitle"), t("soonLead", { date: shortDate(detail.onSaleAt, detail.timeZone) }), desk(t("soonEnter"))),
      paused: () => state(icons.clock, t("pausedTitle"), t("pausedLead")),
      closed: () => state(icons.ticket, t("closedTitle"), t("closedLead")),
      cancelled: () => state(icons.alert, t("cancelledTitle"), t("cancelledLead")),
    }[detail.state as Exclude<EventState, "on_sale">];
    this.#c.place.replaceChildren(this.#standing.element, card());
  }

  #shop(): void {
    const { place } = this.#c, model = this.#model, view = this.#view, touched = this.#touched;
    this.#chooser = new TellingChooser(model, {
      find: async (query) => this.#best(query),
      holdChoice: async () => this.ask(null),
      looking: (section) => view.showSection(section),
      view: this.#see,
      point: (o) => view.point(o),
      reveal: (o) => view.showSeats([o]),
      chose: (ordinals) => {
        touched(ordinals);
        if (ordinals.length > 0 && this.#desk?.open && !this.#desk.modal) this.#desk.hide(); // the fan goes on choosing; news of the event choose nothing
      },
    });
    this.#chooser.told = () => this.#sayChoice();
    this.#chooser.holdPlace.replaceWith(this.#standing.element);
    this.#chooser.showBest(!this.hold);
    place.replaceChildren(this.#chooser.element, h("p", { class: "pl-start" }, h("span", { class: "small soft" }, w("wStartLead")),
      h("button", { class: "button plain", type: "button", onclick: () => this.#show() }, w("wStart"))));
    this.#saySoldOut();
    this.#sayChoice();
  }

  #saySoldOut(): void {
    const { book } = this.#model, now = book.known && book.totalFree === 0 && !this.hold;
    if (now && !this.#soldOut) this.#chooser?.say("warn", t("soldOutLead"));
    this.#soldOut = now;
  }

  // ---- live seats

  changed(ordinals: readonly number[]): void {
    this.#chooser?.changed(ordinals);
    if (!this.#asking) this.#dropLost();
    this.#saySoldOut();
  }

  /** What somebody else has of the choice by now leaves it, and everybody is told. */
  #dropLost(): void {
    const { host } = this.#c, model = this.#model, lost = dropLost(model.book), areas = dropLostPlaces(model.book);
    if (lost.length + areas.length === 0) return;
    this.#touched(lost);
    this.#chooser?.renderChoice();
    void this.#chooser?.sayLost(lost, areas, false);
    host.tell("plateia-lost", { seats: [...lost.map((o) => model.chart.label(o)), ...areas.map((s) => model.chart.sections[s]!.label)] });
  }

  // ---- choice

  get selection(): Selection {
    const { book, chart } = this.#model, chosen = [...book.chosen].sort((a, b) => a - b), places = [...book.places];
    if (isHolding(book) && !isEdited(book)) return { seats: [], areas: [], total: null };
    return {
      seats: chosen.map((o) => chart.label(o)), areas: places.map(([s, quantity]) => ({ section: chart.sections[s]!.label, quantity })),
      total: book.size > 0 ? this.#model.total(chosen, places) : null,
    };
  }

  #sayChoice(): void {
    const { selection } = this, said = JSON.stringify(selection);
    if (said === this.#said || (this.#said === "" && !selection.total)) return;
    this.#said = said;
    tabbed.set(this.#kept, selection.seats.join("\n"));
    this.#c.host.tell("plateia-select", selection);
  }

  select(labels: readonly string[]): string[] {
    const model = this.#model, { book } = model, before = [...book.chosen], not: string[] = [];
    book.chosen.clear();
    for (const label of labels) {
      const o = model.ordinal(label);
      if (o >= 0 && book.choosable(o) && book.size < model.max) book.chosen.add(o);
      else not.push(label);
    }
    if (labels.length === 0) book.places.clear();
    this.#touched([...before, ...book.chosen]);
    this.#chooser?.changed([...before, ...book.chosen]);
    this.#chooser?.renderChoice();
    return not;
  }

  // ---- our frame

  get #key(): string {
    return `plateia.desk.${this.#model.detail.eventId}`;
  }

  get #kept(): string {
    return `${this.#key}.chosen`;
  }

  /** Made when it is first needed, and then kept. */
  #frame(): Promise<Desk> {
    return (this.#coming ??= this.#c.desk().then((code) => {
      tabbed.set(this.#key, "1");
      this.#c.box.adopt(code.sheet);
      return (this.#desk = code.beside({ ...this.#c, eventId: this.#model.detail.eventId }, (message) => this.#heard(message)));
    }).catch((error: unknown) => {
      this.#coming = null;
      throw error;
    }));
  }

  #show(message: ToFrame = { type: "open" }): void {
    this.#frame().then((desk) => desk.show(message), (error: unknown) => {
      this.#asking = false;
      this.#chooser?.say("bad", t("errOffline"));
      this.#c.host.tell("plateia-error", { code: "BLOCKED", text: String(error) });
    });
  }

  ask(best: Asked | null): void {
    if (best) {
      const { quantity = 2, maxPrice, ...rest } = best;
      return this.#best({ ...this.#model.filter.query(), quantity, ...rest, ...(maxPrice !== undefined && { maxPrice: this.#model.asked(maxPrice) }) });
    }
    const { book, chart } = this.#model, chosen = [...book.chosen].sort((a, b) => a - b), places = [...book.places];
    if (book.size === 0) return this.#show();
    this.#asking = true;
    this.#show({
      type: "choose", seats: chosen.map((o) => chart.label(o)), areas: places.map(([s, quantity]) => ({ section: chart.sections[s]!.label, quantity })),
      expectedTotal: this.#model.total(chosen, places), accessible: this.#chooser?.accessible ?? false,
    });
  }

  #best(query: BestQuery): void {
    this.#asking = true;
    this.#show({ type: "best", ...query });
  }

  desk(open: boolean): void {
    if (open) this.#show();
    else this.#desk?.hide();
  }

  #heard(message: ToHost): void {
    const { tell } = this.#c.host;
    switch (message.type) {
      case "stage": return this.#turn(message.stage);
      case "hold": return this.#held(message.hold);
      case "order": return tell("plateia-order", { status: message.status });
      case "checkout": return tell("plateia-checkout", {});
      case "lost":
        this.#asking = false;
        return this.#dropLost();
      case "error":
        this.#asking = false;
        return tell("plateia-error", { code: message.code, text: message.text });
      case "close": return this.#desk?.hide();
    }
  }

  #turn(stage: FrameStage): void {
    this.#stage = stage;
    if (stage !== "loading" && stage !== "line" && stage !== "sign-in") this.#asking = false;
    this.#standing.show(this.hold, stage, this.#again);
  }

  #held(hold: Held | null): void {
    const { host } = this.#c, { book } = this.#model, ordinals = hold?.seats.map((s) => s.ordinal) ?? [];
    const first = hold !== null && this.hold === null;
    if (hold === null && this.hold === null) return;
    this.#asking = false;
    this.hold = hold;
    const changed = book.apply(ordinals.filter((o) => book.status[o] === 0).map((ordinal) => ({ ordinal, status: HELD })));
    this.#touched([...changed, ...takeHold(book, ordinals)]);
    if (!this.#chooser && hold) this.#fill();
    this.#chooser?.changed(ordinals);
    this.#chooser?.showBest(hold === null);
    this.#chooser?.renderChoice();
    this.#standing.show(hold, this.#stage, this.#again);
    if (first) this.#view.showSeats(ordinals);
    host.tell("plateia-hold", { hold });
  }

  close(): void {
    this.#chooser?.stop();
    this.#standing.stop();
    this.#desk?.stop();
    this.#view.destroy();
  }
}

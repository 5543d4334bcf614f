import { h } from "../base/dom.ts";
import { count } from "../i18n/speech.ts";
import { shortDate, venueLine } from "../i18n/format.ts";
import { notice } from "../ui/notice.ts";
import { Audit, change } from "./audit.ts";
import { Charts } from "./charts.ts";
import { explained } from "./form.ts";
import { heldBack, phaseTag, tiles } from "./numbers.ts";
import { look, roomActions } from "./operator.ts";
import { type Form, messageForm, pauseForm } from "./pause-form.ts";
import { codesForm, resetForm } from "./rare-forms.ts";
import { targetForm } from "./target-form.ts";
import type { Action, Moment, Room } from "./types.ts";
import { spokenTime, t } from "./words.ts";

const KEEP = 2000; // moments; at one in five seconds nearly three hours

/** One room on screen. What is typed into its forms survives every refresh. */
export class RoomView {
  readonly element = h("section", { class: "room", "aria-labelledby": "op-room-title" });
  readonly #head = h("div", { class: "room-head" });
  readonly #says = h("div", { class: "box" });
  readonly #tiles = h("dl", { class: "tiles" });
  readonly #charts = new Charts();
  readonly #audit: Audit<Action>;
  readonly #forms: Form[];
  #history: Moment[] = [];
  #room: Room;

  readonly #changed: () => void;

  constructor(room: Room, changed: () => void) {
    this.#room = room;
    this.#changed = changed;
    const became = (now: Room): void => {
      this.#show(now);
      this.#acted();
    };
    this.#audit = new Audit({
      path: roomActions(room.eventId), none: t("opAuditNone"), what: (a) => t(`verb_${a.verb}`), change: (a) => change(a.before, a.after),
    });
    this.#forms = [pauseForm(room, became), messageForm(room, became), targetForm(room, became), codesForm(room, () => this.#acted()), resetForm(room, became)];
    this.element.append(h("h2", { id: "op-room-title", tabindex: -1 }, room.title), this.#head, this.#says, this.#tiles,
      h("div", { class: "room-columns" }, this.#charts.element,
        h("section", { class: "sheet actions", "aria-labelledby": "op-actions-title" }, h("h3", { id: "op-actions-title" }, t("opActions")), ...this.#forms.map((form) => form.element))),
      this.#audit.element);
    this.#show(room);
    void this.#audit.load();
  }

  get eventId(): string {
    return this.#room.eventId;
  }

  /** Reads the room anew. Old numbers stay, and are called old. */
  async refresh(): Promise<void> {
    try {
      const last = this.#history.at(-1)?.at;
      const [room, { moments }] = await Promise.all([
        look<Room>(this.eventId), look<{ moments: Moment[] }>(this.eventId, last ? `/history?since=${encodeURIComponent(last)}` : "/history"),
      ]);
      this.#history.push(...moments.filter((m) => !last || m.at > last));
      this.#history.splice(0, this.#history.length - KEEP);
      this.#show(room);
    } catch (error) {
      this.#says.replaceChildren(notice("warn", t("opStale", { why: explained(error), time: spokenTime(this.#room.at) })));
    }
  }

  #acted(): void {
    void this.#audit.load();
    this.#changed();
  }

  #show(room: Room): void {
    const was = this.#room;
    if (was.phase !== room.phase || was.target !== room.target || was.epoch !== room.epoch) void this.#audit.load(); // somebody else acted
    this.#room = room;
    const held = heldBack(room);
    this.#head.replaceChildren(phaseTag(room.phase),
      h("span", { class: "soft small" }, [venueLine(room.venue), t("opOnSale", { date: shortDate(room.onSaleAt, room.timeZone) }), t("opEpoch", { n: count(room.epoch) }),
        t(room.drawn ? (room.verifiable ? "opDrawn" : "opDrawnAlone") : "opNotDrawn"), t("opAsOf", { time: spokenTime(room.at) })].join(" · ")));
    this.#says.replaceChildren(held ? notice("warn", held) : "");
    this.#tiles.replaceChildren(...tiles(room));
    this.#charts.show(room, [...this.#history, room].filter((m, i, all) => i === 0 || m.at > all[i - 1]!.at));
    this.#forms.forEach((form) => form.show(room));
  }
}

import { h } from "../base/dom.ts";
import { type Bar, Figure, type Span } from "./chart.ts";
import { group, thin } from "./scale.ts";
import type { Cohort, Moment, Room } from "./types.ts";
import { t } from "./words.ts";

const POINTS = 300, BARS = 40;

/** What of the history is paused. */
export function pauses(history: readonly Moment[]): Span[] {
  const out: Span[] = [];
  for (const m of history) {
    const at = Date.parse(m.at), last = out.at(-1);
    if (last && Number.isNaN(last.to)) {
      if (m.phase !== "paused") last.to = at;
    } else if (m.phase === "paused") out.push({ from: at, to: NaN });
  }
  const end = history.at(-1), last = out.at(-1);
  if (end && last && Number.isNaN(last.to)) last.to = Date.parse(end.at);
  return out;
}

/** Cohorts as bars, neighbours together where there are many. Some of them may still come while any of theirs may. */
export function cohortBars(cohorts: readonly Cohort[]): Bar[] {
  return group(cohorts, BARS).map((all) => ({
    at: Date.parse(all[0]!.at), young: all.some((c) => !c.complete),
    whole: all.reduce((sum, c) => sum + c.tickets, 0), part: all.reduce((sum, c) => sum + c.came, 0),
  }));
}

/** The charts of a room. */
export class Charts {
  readonly #inside = new Figure(t("opChartInside"));
  readonly #line = new Figure(t("opChartLine"));
  readonly #show = new Figure(t("opChartShow"));
  readonly element = h("div", { class: "charts" }, this.#inside.element, this.#line.element, this.#show.element);

  show(room: Room, history: readonly Moment[]): void {
    const all = thin(history, POINTS), at = all.map((m) => Date.parse(m.at)), shaded = pauses(history);
    this.#inside.lines(at, [
      { name: t("opInside"), look: "a", values: all.map((m) => m.inside) },
      { name: t("opPredicted"), look: "b", values: all.map((m) => Math.max(m.predicted, 0)) },
      { name: t("opTarget"), look: "c", values: all.map((m) => m.target) },
    ], shaded);
    this.#line.lines(at, [
      { name: t("opEntered"), look: "c", values: all.map((m) => m.entered) },
      { name: t("opFrontier"), look: "a", values: all.map((m) => m.passed) },
      { name: t("opAdmitted"), look: "b", values: all.map((m) => m.admitted) },
    ], shaded);
    this.#show.bars(cohortBars(room.cohorts), t("opTickets"), t("opCame"));
  }
}

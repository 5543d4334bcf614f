import { money } from "../i18n/format.ts";
import { type Instead, nearestLike } from "../map/nearest.ts";
import type { EventModel } from "./model.ts";
import { t } from "./choosing-words.ts";

/** What to say when somebody else has seats of the choice, and the nearest like them, if there are any. */
export interface Lost {
  text: string;
  instead?: Instead & { label: string };
}

/** seats and areas have left the choice already. */
export function lostOf(model: EventModel, seats: readonly number[], areas: readonly number[]): Lost {
  const names = [...seats.map((o) => model.seatName(o)), ...areas.map((s) => model.areaName(s))];
  const text = takenText(names, model.book.size), rest = [...model.book.chosen].sort((a, b) => a - b);
  const instead = nearestLike(model.book, (o) => model.priceOf(o).amount, seats, rest);
  return instead ? { text, instead: { ...instead, label: label(model, instead, seats) } } : { text };
}

/** names: of the lost ones; left: how many remain. */
export function takenText(names: readonly string[], left: number): string {
  if (left === 0) return t("takenAll");
  return names.length === 1 ? t("takenOne", { seat: names[0] }) : t("takenMany", { seats: names.join("; ") });
}

/** The seats by name, each row once, and the price when it is another. */
function label(model: EventModel, { take, leave }: Instead, lost: readonly number[]): string {
  const { chart } = model, sum = (seats: readonly number[]): number => seats.reduce((n, o) => n + model.priceOf(o).amount, 0);
  const shown = take.reduce((n, o) => n + model.shown(model.priceOf(o)).amount, 0);
  const numbers = take.map((o) => chart.number(o)).join(", ");
  const seats = t("seatsName", { section: model.sectionName(chart.section[take[0]]), row: model.rowLabel(take[0]), seats: numbers });
  const name = take.length === 1 ? model.seatName(take[0]) : seats;
  const same = sum(take) === sum(lost) + sum(leave);
  return t("takeInstead", { seats: same ? name : `${name} (${money(model.money(shown))})` });
}

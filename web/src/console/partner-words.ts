import { count } from "../i18n/speech.ts";
import { t } from "./words.ts";

/** A partner as the audit has it. */
export interface Recorded { name: string; suspended: boolean; origins: string[]; allEvents: boolean; events: string[] }

/** What a partner may show, in a few words. */
export const shows = ({ allEvents, events }: { allEvents: boolean; events: number }): string =>
  allEvents ? t("opAllEvents") : events === 1 ? t("opOneEvent") : t("opSomeEvents", { n: count(events) });

const without = (all: readonly string[], others: readonly string[]): string[] => all.filter((one) => !others.includes(one));

/** What was done to a partner, member by member: + is new, − is gone. */
export function partnerChange(before: Recorded | null, after: Recorded | null): string {
  if (!after) return before ? before.origins.map((o) => `−\u00a0${o}`).join(", ") : "";
  const was = before ?? { name: after.name, suspended: false, origins: [], allEvents: false, events: [] };
  const said = [
    was.name !== after.name && `${was.name} → ${after.name}`,
    was.suspended !== after.suspended && t(after.suspended ? "opPartnerPaused" : "opPartnerGoesOn"),
    ...without(after.origins, was.origins).map((o) => `+\u00a0${o}`), ...without(was.origins, after.origins).map((o) => `−\u00a0${o}`),
    showsChange(before, after),
  ];
  return said.filter(Boolean).join(", ");
}

function showsChange(before: Recorded | null, after: Recorded): string {
  const now = shows({ ...after, events: after.events.length });
  if (!before) return now;
  const same = before.allEvents === after.allEvents && String(before.events) === String(after.events);
  return same ? "" : `${shows({ ...before, events: before.events.length })} → ${now}`;
}

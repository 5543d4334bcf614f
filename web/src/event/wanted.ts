import type { Category, EventDetail } from "../api/types.ts";
import { ACCESSIBLE, type Chart, COMPANION } from "../map/geometry-chart.ts";
import { allIn } from "./pricing.ts";

/** What somebody looks for; whatever is left out is anything. Prices are of one seat as they are shown, with its fees, in minor units. */
export interface Wishes {
  /** Keys of price categories. */
  categories?: readonly string[];
  minPrice?: number;
  maxPrice?: number;
  /** Labels of sections. */
  sections?: readonly string[];
  accessible?: boolean;
}

/** Whether a category is one that all of these wishes mean. */
export function priced({ rules }: EventDetail, { key, price }: Category, all: readonly Wishes[]): boolean {
  const { amount } = allIn(rules, price);
  return all.every(({ categories, minPrice = 0, maxPrice = Infinity }) => (!categories || categories.includes(key)) && amount >= minPrice && amount <= maxPrice);
}

/**
 * The seats that fit all of these wishes, 1 or 0 by ordinal; null: every seat does. kind: accessible seats and their companions
 * "only", "never" (they are kept for others), or among the others.
 */
export function wantedSeats(detail: EventDetail, chart: Chart, all: readonly Wishes[], kind: "only" | "never" | "any"): Uint8Array | null {
  const open = chart.categories.map(() => true);
  for (const c of detail.categories) open[c.index] = priced(detail, c, all);
  const inside = chart.sections.map(({ label }) => all.every(({ sections }) => !sections || sections.includes(label)));
  if (kind === "any" && ![...open, ...inside].includes(false)) return null;
  return chart.flags.map((flags, o) => {
    const special = (flags & (ACCESSIBLE | COMPANION)) !== 0;
    return +(open[chart.category[o]]! && inside[chart.section[o]]! && (kind === "any" || special === (kind === "only")));
  });
}

/** Whether a chart has accessible seats that are still kept for those who say that they need one. now: ms, the server's. */
export const keepsSeats = ({ rules: { accessibleReleaseAt } }: EventDetail, { flags }: Chart, now: number): boolean =>
  flags.some((f) => (f & ACCESSIBLE) !== 0) && (!accessibleReleaseAt || Date.parse(accessibleReleaseAt) > now);

import type { EventModel } from "./model.ts";

/**
 * Another choice of the same size that leaves no seat alone where this one does: the run of chosen seats beside a
 * single one moves over by one seat, or takes it in. null when there is none. lonely: the seats that would be left
 * single. It is a proposal: the server decides.
 */
export function instead(model: EventModel, chosen: readonly number[], lonely: readonly number[]): number[] | null {
  let seats = new Set(chosen);
  for (const single of lonely) {
    const moved = [shifted(model, seats, single, 1), shifted(model, seats, single, -1)].find((s) => s !== null);
    if (!moved) return null;
    seats = moved;
  }
  const sorted = [...seats].sort((a, b) => a - b);
  return sorted.some((o) => singles(model, seats, o).length > 0) ? null : sorted;
}

/** The run that starts beside the single seat in a direction moves onto it; its far end becomes free. */
function shifted(model: EventModel, seats: ReadonlySet<number>, single: number, way: 1 | -1): Set<number> | null {
  const { row } = model.chart;
  let end = single;
  while (seats.has(end + way) && row[end + way] === row[single]) end += way;
  if (end === single || !model.book.choosable(single)) return null;
  const out = new Set(seats);
  out.add(single);
  out.delete(end);
  return singles(model, out, end + way).length > 0 || singles(model, out, single).length > 0 ? null : out;
}

/** Free seats around o that have nobody free on either side, were these seats taken. */
function singles(model: EventModel, taken: ReadonlySet<number>, o: number): number[] {
  const { row } = model.chart;
  const free = (s: number): boolean => row[s] === row[o] && model.book.choosable(s) && !taken.has(s);
  return [o - 1, o, o + 1].filter((s) => free(s) && !free(s - 1) && !free(s + 1));
}

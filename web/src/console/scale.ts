/** An axis from 0 to at least most: at most five lines at round numbers, whole ones because it counts people. */
export function axis(most: number): number[] {
  const least = Math.max(most, 1) / 4, power = 10 ** Math.floor(Math.log10(least));
  const whole = Math.ceil([1, 2, 2.5, 5, 10].map((m) => m * power).find((m) => m >= least * (1 - 1e-9))!);
  return Array.from({ length: Math.max(Math.ceil(most / whole - 1e-9), 1) + 1 }, (_, i) => i * whole);
}

/** Instants (ms) at round minutes between two, at most n. */
export function times(from: number, to: number, n: number): number[] {
  const steps = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400].map((s) => s * 1000);
  const step = steps.find((s) => (to - from) / s <= n) ?? steps.at(-1)!;
  const out: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) out.push(at);
  return out;
}

/** At most n of a list, the last one among them: a chart has no more pixels. */
export function thin<T>(list: readonly T[], n: number): T[] {
  if (list.length <= n) return [...list];
  const every = list.length / n;
  return Array.from({ length: n }, (_, i) => list[Math.min(list.length - 1, Math.ceil((i + 1) * every) - 1)]!);
}

/** Puts neighbours together until there are at most n. */
export function group<T>(list: readonly T[], n: number): T[][] {
  const size = Math.max(1, Math.ceil(list.length / n));
  const out: T[][] = [];
  for (let i = 0; i < list.length; i += size) out.push(list.slice(i, i + size));
  return out;
}

/** The smallest distance between neighbours, so that bars of uneven times do not lie over each other; a second for one alone. */
export const closest = (at: number[]): number => at.length > 1 ? Math.min(...at.slice(1).map((b, i) => b - at[i]!)) : 1000;

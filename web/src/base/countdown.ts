/** Moments at which the time left is announced, seconds; each is said once. */
export const MILESTONES = [300, 120, 60, 30] as const;

export type Milestone = (typeof MILESTONES)[number];

/** The milestone passed when the time left fell from before to after (ms): the smallest one, so that a tab that slept says only what is true now. */
export function milestone(before: number, after: number): Milestone | null {
  let passed: Milestone | null = null;
  for (const m of MILESTONES) if (before > m * 1000 && after <= m * 1000 && after > 0) passed = m;
  return passed;
}

/** m:ss of a span in ms, rounded up, so that 0:00 means over and never earlier. */
export function mmss(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** h:mm:ss of a span of hours, m:ss of a shorter one. */
export function clockFace(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000)), hours = Math.floor(seconds / 3600);
  return hours > 0 ? `${hours}:${mmss((seconds % 3600) * 1000).padStart(5, "0")}` : mmss(ms);
}

/** How loud the countdown looks. */
export const urgency = (ms: number): "calm" | "soon" | "now" => (ms <= 60_000 ? "now" : ms <= 120_000 ? "soon" : "calm");

/** How much the map shows: section polygons, one dot per seat, or seats as shapes. */
export type Level = "far" | "dense" | "near";

export interface Detail { level: Level; numbers: boolean; rows: boolean }

const DENSE = 2.4; // CSS pixels between neighbours from which single seats can be told apart
const NEAR = 7; // from which shapes can
const ROWS = 9.5; // from which row labels fit
const NUMBERS = 15; // from which a two-digit number is readable inside a seat

/** The level of detail for a distance of neighbours in CSS pixels. */
export function detail(pitchPx: number): Detail {
  const level = pitchPx < DENSE ? "far" : pitchPx < NEAR ? "dense" : "near";
  return { level, numbers: pitchPx >= NUMBERS, rows: pitchPx >= ROWS };
}

/** The distance at which a fan chooses seats comfortably: shapes with numbers, big enough for a finger. */
export const CHOOSING = 24;

/** Zoom limits in CSS pixels per chart unit: out to a little more than everything, in to seats of 44 px. */
export const zoomLimits = (fitScale: number, pitch: number): { min: number; max: number } => {
  const max = 44 / pitch;
  return { min: Math.min(fitScale * 0.9, max), max };
};

/**
 * The pixel ratio to draw at: the screen's up to 2, and less while moving when frames come late. lateMs is the recent
 * draw time. At rest the map is always sharp.
 */
export function pixelRatio(device: number, moving: boolean, lateMs: number): number {
  const full = Math.min(2, Math.max(1, device));
  if (!moving || lateMs < 8) return full;
  return lateMs > 14 ? Math.min(full, 1) * 0.75 : Math.min(full, 1);
}

import type { Fetcher } from "./surroundings.ts";

/** The availability document (GET /v1/events/{id}/availability), the fallback below the live connection. */
export interface Availability { statuses: Uint8Array; free: number[] }

/** Asks once. Throws when there is no usable answer. `seats` of the chart, 0 when not known. */
export async function fetchAvailability(url: string, seats: number, fetcher: Fetcher, signal: AbortSignal): Promise<Availability> {
  const answer = await fetcher(url, { headers: { Accept: "application/json" }, signal });
  if (!answer.ok) throw new Error(`availability: ${answer.status}`);
  const body = (await answer.json()) as { seatsBitmap?: unknown; sections?: unknown };
  if (typeof body.seatsBitmap !== "string") throw new Error("availability: no bitmap");
  const sections = Array.isArray(body.sections) ? (body.sections as { free?: number; total?: number }[]) : [];
  const total = seats || sections.reduce((sum, s) => sum + (s.total ?? 0), 0);
  return { statuses: unpackBitmap(body.seatsBitmap, total), free: sections.map((s) => s.free ?? 0) };
}

/** Two bits a seat, as in snapshots; with 0 seats all that the bytes hold. */
export function unpackBitmap(base64: string, seats: number): Uint8Array {
  const raw = atob(base64);
  if (raw.length < Math.ceil(seats / 4)) throw new Error("availability: bitmap too short");
  const statuses = new Uint8Array(seats || raw.length * 4);
  for (let i = 0; i < statuses.length; i++) statuses[i] = (raw.charCodeAt(i >> 2) >> (2 * (i & 3))) & 3;
  return statuses;
}

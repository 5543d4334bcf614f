import type { Fallback } from "./fallback.ts";
import type { Way } from "./links.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Bye, View } from "./wire.ts";

/** What the page can say: live and polling are true maps, the others may be old. */
export type LiveState = "connecting" | "live" | "reconnecting" | "polling" | "offline";

export interface LiveOptions {
  /** ws(s)://…/v1/events/{id}/live; a path is taken from the page's own origin. */
  url: string;
  event: string;
  /** Access token, or how to get the present one; empty while there is none. */
  token?: string | (() => string);
  view?: View;
  /** What to try first; a page remembers what worked. */
  first?: Way;
  /** What is left without a socket, or how to get it: it is asked for when sockets fail. Without it only sockets are tried. */
  fallback?: Fallback | (() => Promise<Fallback>);
  /** Seats of the chart, for polling. */
  seats?: number;
  /** The availability document; without it nothing is polled. */
  pollUrl?: string;
  /** The seats of `ranges` are new; `statuses` is the whole map, one byte a seat, and the same array from call to call unless the chart changes. */
  onSnapshot(statuses: Uint8Array, ranges: readonly [number, number][]): void;
  /** Some seats have changed. `at` is the oldest change's commit time in Unix ms, 0 when not known. */
  onDelta(ordinals: Uint32Array, statuses: Uint8Array, at: number): void;
  /** Free seats by section index. */
  onSummary?(free: number[]): void;
  onNotice?(notice: number, body: unknown): void;
  /** `way` is how frames come while the state is live, else null. */
  onState?(state: LiveState, way: Way | null): void;
  /** The gateway ended the connection for a reason that trying again cannot help (see BYE). */
  onRefused?(bye: Bye): void;
  surroundings?: Surroundings;
}

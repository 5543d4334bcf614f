import type { EventDetail } from "../api/types.ts";
import type { BareMap } from "../event/bare-map.ts";
import type { PollWords } from "../event/live-sign.ts";
import type { showView } from "../event/section-view.ts";
import type { Wishes } from "../event/wanted.ts";
import type { Fallback } from "../live/fallback.ts";
import type { SeatBook } from "../map/book.ts";
import type { Chart } from "../map/geometry.ts";
import type { ToFrame, ToHost } from "../embed/protocol.ts";
import type { Asked, Body, BodyHost, Held, Selection } from "./body.ts";
import type { Box } from "./box.ts";
import { registry } from "./registry.ts";
import type { limitsOf } from "./settings.ts";
import type { Source } from "./source.ts";
import type { troubleCard, whyMissing } from "./trouble.ts";
import { Missing } from "./missing.ts";

// The widget comes in parts, each one file with its integrity. The element's own is all that it takes to look around in a live
// map, to choose by tap and to ask for the choice; the others come when they are needed, the panel once the map is drawn.

/** What is left where no socket comes through. */
export interface FallbackCode extends Fallback { words: PollWords }

/** Why there is nothing to show. */
export interface TroubleCode { sheet: string; why: typeof whyMissing; card: typeof troubleCard }

/** What one sees from a section. Only the panel knows this part's file. */
export interface ViewCode { sheet: string; show: typeof showView }

/** Finding seats: filters, best-available, lists, the choice in full; and what helps to find one's way on the map. */
export interface PanelCode {
  sheet: string;
  open(context: PanelContext): Panel;
  /** For the rare chart that has none, a stage or field of ours; the map then waits for this part. */
  withFocus(chart: Chart): Chart;
}

export interface PanelContext {
  host: BodyHost;
  box: Box;
  detail: EventDetail;
  limits: Wishes;
  chart: Chart;
  book: SeatBook;
  bare: BareMap;
  /** Server time, ms. */
  now(): number;
  /** Only the element knows the other parts' files. */
  desk(): Promise<DeskCode>;
  /** Where it puts itself. */
  place: HTMLElement;
  /** Where the map is. */
  mapPlace: HTMLElement;
}

/** The panel in which seats are chosen, with the frame in which they are held and paid. */
export interface Panel {
  readonly selection: Selection;
  readonly hold: Held | null;
  select(labels: readonly string[]): string[];
  ask(best: Asked | null): void;
  desk(open: boolean): void;
  changed(ordinals: readonly number[]): void;
  /** The event's document is another. */
  renew(detail: EventDetail): void;
  /** The partner's limits are. */
  limit(limits: Wishes): void;
  /** The theme is. */
  dress(): void;
  close(): void;
}

/** Frames of our origin: beside the map in element mode, or everything there is in frame mode. */
export interface DeskCode {
  sheet: string;
  beside(context: DeskContext, heard: (message: ToHost) => void): Desk;
  whole(host: BodyHost, kit: Kit): Body;
}

/** What the element's own code lends to its frame mode. */
export interface Kit { Box: typeof Box; Source: typeof Source; Missing: typeof Missing; limitsOf: typeof limitsOf }

/** What a frame beside the map needs to know. */
export interface DeskContext extends Pick<PanelContext, "host" | "box" | "place"> { eventId: string }

export interface Desk {
  readonly open: boolean;
  /** Over the page, so that nothing behind can be used. */
  readonly modal: boolean;
  show(message: ToFrame): void;
  hide(): void;
  /** Colours are others. */
  dress(): void;
  stop(): void;
}

export type PartName = "panel" | "fallback" | "trouble" | "desk" | "view";

/** File and integrity of each part. build-embed.mjs knows them. */
declare const PARTS: Record<PartName, readonly [file: string, integrity: string]>;

/** Asks for a part; it is there once for all elements of its language. */
export async function part<T>(name: PartName): Promise<T> {
  const page = registry()!, [file, integrity] = PARTS[name];
  try {
    await page.script(file, integrity);
  } catch (error) {
    throw new Missing("BLOCKED", String(error));
  }
  return page.parts[file] as T;
}

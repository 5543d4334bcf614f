import type { EventDetail, EventState } from "../api/types.ts";
import type { MapActions, MapView } from "../event/map-view.ts";
import type { EventModel } from "../event/model.ts";
import type { Way } from "../live/links.ts";
import type { LiveState } from "../live/options.ts";
import type { ToFrame, ToHost } from "../embed/protocol.ts";
import type { Asked, Body, BodyHost, Held, Selection } from "./body.ts";
import type { Box } from "./box.ts";
import { registry } from "./registry.ts";
import type { limitsOf } from "./settings.ts";
import type { Skin } from "./skin.ts";
import type { Source } from "./source.ts";
import type { troubleCard } from "./trouble.ts";
import { Missing } from "./missing.ts";

// The widget comes in parts, each one file with its integrity: what is seen first does not wait for what is used later.

/** The map. */
export interface SeatsCode {
  sheet: string;
  /** Throws when the bytes are no chart. */
  open(host: HTMLElement, chart: ArrayBuffer, detail: EventDetail, actions: MapActions): { model: EventModel; view: MapView };
}

/** What keeps it true. */
export interface LiveCode { follow(origin: string, model: EventModel, events: LiveEvents): Live }

export interface Live { close(): void }

export interface LiveEvents {
  changed(ordinals: number[]): void;
  state(state: LiveState, way: Way | null): void;
  event(state: EventState): void;
  prices(): void;
}

/** Choosing seats. */
export interface PanelCode { sheet: string; open(context: PanelContext): Panel }

export interface PanelContext {
  host: BodyHost;
  model: EventModel;
  view: MapView;
  skin: Skin;
  /** Where it puts itself. */
  place: HTMLElement;
  desk(): Promise<DeskCode>;
  adopt(css: string): void;
  /** What stands where something did not come. */
  trouble(why: string, again: () => void): HTMLElement;
  /** Seats look different now. */
  touched(ordinals: readonly number[]): void;
  /** Server time, ms. */
  now(): number;
}

/** The panel in which seats are chosen, with the frame in which they are held and paid. */
export interface Panel {
  readonly selection: Selection;
  readonly hold: Held | null;
  select(labels: readonly string[]): string[];
  ask(best: Asked | null): void;
  desk(open: boolean): void;
  tap(o: number): void;
  area(section: number): void;
  looking(section: number): void;
  changed(ordinals: readonly number[]): void;
  /** The event's document, the limits or the theme are others. */
  renew(): void;
  close(): void;
}

/** Frames of our origin: beside the map in element mode, or everything there is in frame mode. */
export interface DeskCode {
  sheet: string;
  beside(context: PanelContext, heard: (message: ToHost) => void): Desk;
  whole(host: BodyHost, kit: Kit): Body;
}

/** What the element's own code lends to its frame mode. */
export interface Kit { Box: typeof Box; Source: typeof Source; Missing: typeof Missing; troubleCard: typeof troubleCard; limitsOf: typeof limitsOf }

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

export type PartName = "seats" | "live" | "panel" | "desk";

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

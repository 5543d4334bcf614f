import type { EventDetail, Hold } from "../api/types.ts";
import type { SeatBook } from "../map/book.ts";
import type { Chart } from "../map/geometry.ts";
import type { Action, Tone } from "../ui/notice.ts";
import type { MapActions, MapView } from "./map-view.ts";
import type { EventModel } from "./model.ts";
import type { Seating } from "./seating.ts";
import type { OrderMade } from "./holding.ts";
import type { ShopActions } from "./shop.ts";
import type { Stage } from "./stage.ts";

/** What a page's panel shows once its fan may choose and hold: all that its other parts know of it. */
export interface Floor {
  readonly element: HTMLElement;
  /** Whether the fan has said that they need an accessible place, or has one. */
  readonly accessible: boolean;
  needAccessible(): void;
  setHold(hold: Hold | null): void;
  focusHold(): void;
  renderChoice(): void;
  changed(ordinals: readonly number[]): void;
  /** Says something where the fan looks; one message at a time. */
  say(tone: Tone, text: string, action?: Action): void;
  /** Somebody else has these seats and areas' places of the choice. wanted: the fan had asked to have them held. */
  sayLost?(seats: readonly number[], areas: readonly number[], wanted: boolean): Promise<void>;
  quiet(): void;
  toggle(o: number): void;
  openArea(section: number): void;
  looking(section: number): void;
  stop(): void;
}

export type FloorMaker = new (model: EventModel, actions: ShopActions) => Floor;

/** How this page's fans get to where they pay. */
export interface Till {
  /** Is called in the very press: a window may be opened then, and not after any wait. */
  begin(): Paying;
  /** The way back to a payment that has begun, and to the tickets of an order. */
  goOn(hold: Hold, label: string): Action;
  tickets(order: string, label: string): Action;
}

/** A payment that was asked for: its order is being made. */
export interface Paying {
  go(order: OrderMade): void;
  /** There is no order. */
  stop(): void;
}

/** Somebody outside who is told how this fan stands. */
export interface Told {
  stage(stage: Stage): void;
  /** The chart is there. */
  chart(model: EventModel): void;
  hold(hold: Hold | null): void;
  /** These leave the choice, because somebody else has them. */
  lost(labels: string[]): void;
  order(id: string, status: string): void;
  trouble(error: unknown): void;
}

/** A chart with the statuses of its seats. */
export interface Venue { readonly chart: Chart; readonly book: SeatBook }

export interface MapPlace {
  /** Shows a venue before anything else is known of the event, and completes it. */
  begin(seating: Seating): Promise<void>;
  /** Puts the map there, or takes on what is shown. */
  open(model: EventModel, actions: MapActions): MapView;
  /** There is none: says why. */
  failed(why: HTMLElement): void;
  hide(hidden: boolean): void;
  /** Nothing of it is sold any more: it does not say how many places are free. */
  over(): void;
}

/** Where an event's page is: on our own site, or in a frame of a partner's page. */
export interface Setting {
  readonly panel: HTMLElement;
  /** Where the map is; null: it is not on this page. */
  readonly map: MapPlace | null;
  readonly till: Till;
  readonly told: Partial<Told>;
  /** The fan has come from the waiting room to look around, and goes back by a press. */
  readonly lookingAround: boolean;
  /** Shows what the event is. */
  head(event: EventDetail): void;
  /** There is none to show. gone: and there never will be. */
  headless(gone: boolean): void;
  account(): void;
  floor(): Promise<FloorMaker>;
  /** The waiting room in this page's panel; without it the waiting room is a page of its own. inside: the fan was let in. */
  room?(enter: boolean, inside: () => void): Promise<Room>;
}

export interface Room { readonly element: HTMLElement; stop(): void }


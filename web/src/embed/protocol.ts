import type { Money } from "../api/types.ts";
import { amounts, flag, instant, list, matching, money, num, type Read, record, shape, text, word } from "./fields.ts";

// What a partner's page (the host) and our frame in it say to each other. The host connects once for each load of the
// frame, with a port; all else goes over the port. Either side reads what comes as it would read a stranger's letter: the
// readers below take known types of the right shape and answer null for all else, which is then ignored.
//
// Nothing here names a person, a token or an order: the host's page may be read by anybody who runs a script in it.

/** The protocol's major version. Types and optional members may be added within it; what is there keeps its meaning. */
export const PROTOCOL = 1;

/** What the host posts to the frame's window with the port; plateia is the version it speaks. */
export interface Connect { plateia: number; type: "connect" }

/** The one message that is not said over the port. */
export const connect: Connect = { plateia: PROTOCOL, type: "connect" };

/** The version that a host asks for, or null when this is no such message. */
export const readConnect = (data: unknown): number | null =>
  record(data) && data.type === "connect" && Number.isInteger(data.plateia) && (data.plateia as number) > 0 ? (data.plateia as number) : null;

/** What is shown of an event. Prices are those that are shown, of a seat with its fees, in minor units of the event's currency; sections and categories are their labels and keys. */
export interface Filters { categories?: string[]; sections?: string[]; minPrice?: number; maxPrice?: number; accessible?: boolean }

/** Colours and more by the name of their property without "--plateia-"; scheme: which of our palettes they are laid over; titled: the host shows what event it is. */
export interface Theme { scheme?: "light" | "dark" | "auto"; values?: Record<string, string>; titled?: boolean }

/** Numbered seats by their labels, and places of areas by the section's label. */
export interface Chosen { seats: string[]; areas: { section: string; quantity: number }[]; expectedTotal: Money; accessible: boolean }

/** maxPrice: of a seat before fees, as the API means it. */
export interface Best { quantity: number; sections?: string[]; maxPrice?: Money; accessible?: boolean }

/** Host to frame. */
export type ToFrame =
  | ({ type: "choose" } & Chosen) // hold these
  | ({ type: "best" } & Best) // hold the best ones
  | ({ type: "show" } & Filters)
  | ({ type: "theme" } & Theme)
  | { type: "open" } // the fan wants to see where they stand: account, line, hold
  | { type: "close" }; // the frame is out of sight; a hold goes on

/** What the frame shows. hold: seats are held; paying: a payment has begun; tickets: they are paid for. */
export type FrameStage =
  | "loading" | "sign-in" | "line" | "shop" | "hold" | "paying" | "tickets" | "soon" | "sold-out" | "paused" | "closed" | "cancelled" | "trouble";

/** A hold as its owner's host may know it. ordinal: of the seat in the chart; expiresAt: RFC 3339, UTC. */
export interface HeldNews { seats: { label: string; ordinal: number }[]; total: Money; expiresAt: string; state: "ACTIVE" | "PAYING" }

/** How an order ended, or that it goes on. */
export type OrderNews = "paying" | "confirmed" | "declined" | "expired" | "cancelled" | "refunded";

/** Frame to host. */
export type ToHost =
  | { type: "ready"; protocol: number }
  | { type: "size"; height: number } // CSS pixels that the content needs
  | { type: "stage"; stage: FrameStage }
  | { type: "select"; seats: string[]; total: Money } // frame mode: the choice
  | { type: "hold"; hold: HeldNews | null }
  | { type: "order"; status: OrderNews }
  | { type: "checkout" } // the fan goes to pay
  | { type: "lost"; seats: string[] } // of the choice: somebody else has them
  | { type: "error"; code: string; text: string } // text: for people, in the frame's language
  | { type: "close" }; // the fan wants the frame out of sight

const LABEL = text(64), SEATS = list(LABEL, 100), COUNT = num(1, 100);
const FILTERS = { categories: list(LABEL, 64), sections: list(LABEL, 500), minPrice: amounts, maxPrice: amounts, accessible: flag };
// Colours, lengths and names of fonts: a value that could fetch something, or end the property it is in, is none of them
const VALUE = /^(?:(?<![\w-])(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|calc|min|max|clamp)\(|[\w\s#%.,)+"'/-]){1,120}$/;
const VALUES = matching(/^[a-z][a-z0-9-]{0,31}$/, VALUE, 40);
const HOLD = shape<HeldNews>({
  seats: list(shape({ label: LABEL, ordinal: num(0, 10_000_000) }, {}), 100), total: money, expiresAt: instant, state: word("ACTIVE", "PAYING"),
}, {});
const STAGES = word("loading", "sign-in", "line", "shop", "hold", "paying", "tickets", "soon", "sold-out", "paused", "closed", "cancelled", "trouble");
const ORDERS = word("paying", "confirmed", "declined", "expired", "cancelled", "refunded");

type Readers<M extends { type: string }> = { [T in M["type"]]: Read<Omit<Extract<M, { type: T }>, "type">> };

const toFrame: Readers<ToFrame> = {
  choose: shape({ seats: SEATS, areas: list(shape({ section: LABEL, quantity: COUNT }, {}), 50), expectedTotal: money, accessible: flag }, {}),
  best: shape({ quantity: COUNT }, { sections: list(LABEL, 500), maxPrice: money, accessible: flag }),
  show: shape({}, FILTERS),
  theme: shape({}, { scheme: word("light", "dark", "auto"), values: VALUES, titled: flag }),
  open: shape({}, {}),
  close: shape({}, {}),
};

const toHost: Readers<ToHost> = {
  ready: shape({ protocol: num(1, 1000) }, {}),
  size: shape({ height: num(0, 100_000) }, {}),
  stage: shape({ stage: STAGES }, {}),
  select: shape({ seats: SEATS, total: money }, {}),
  hold: shape({ hold: (v) => (v === null ? null : HOLD(v)) }, {}),
  order: shape({ status: ORDERS }, {}),
  checkout: shape({}, {}),
  lost: shape({ seats: SEATS }, {}),
  error: shape({ code: text(64), text: text(500) }, {}),
  close: shape({}, {}),
};

/** A message for the frame, with nothing in it but what is known; null: no such message. */
export const readToFrame = (data: unknown): ToFrame | null => read(data, toFrame) as ToFrame | null;

/** A message for the host; null: none that this side knows. */
export const readToHost = (data: unknown): ToHost | null => read(data, toHost) as ToHost | null;

function read(data: unknown, readers: Record<string, Read<object>>): object | null {
  if (!record(data) || typeof data.type !== "string" || !Object.hasOwn(readers, data.type)) return null;
  const found = readers[data.type]!(data);
  return found === undefined ? null : { type: data.type, ...found };
}

// The answers of the HTTP API as the pages use them (edge/openapi.yaml is the reference). Instants are RFC 3339 in UTC.

/** An amount in the currency's minor units. */
export interface Money { amount: number; currency: string }

export interface Venue { name: string; city: string; country: string }

export type Availability = "on_sale_soon" | "available" | "limited" | "sold_out" | "cancelled";
export type EventState = "scheduled" | "on_sale" | "paused" | "closed" | "cancelled";

export interface EventCard {
  eventId: string; title: string; venue: Venue; genre: string; startsAt: string; onSaleAt: string; timeZone: string;
  capacity: number; priceRange: { min: Money; max: Money } | null; availability: Availability; state: EventState;
}

export interface Category { index: number; key: string; name: string; color: string; price: Money }

export interface Rules {
  maxPerAccount: number; holdSeconds: number; holdMaxSeconds: number; orphanMode: string; pressesPerMinute: number;
  /** Until then accessible seats and their companions are kept for those who ask; null: always. */
  accessibleReleaseAt?: string | null;
  fees?: Fee[];
  /** Hundredths of a percent, included in prices and fees. */
  taxPercent?: number;
}

/** Charged beside the seats: an amount per ticket or order, or a rate in hundredths of a percent of the seats' prices. */
export interface Fee { name: string; per: "ticket" | "order" | "percent"; amount?: Money; rate?: number }

export interface EventDetail {
  eventId: string; title: string; venue: Venue; genre: string; timeZone: string; currency: string; startsAt: string;
  onSaleAt: string; state: EventState; availability: Availability; capacity: number; epoch: number;
  chart: { chartId: string; version: number; url: string }; categories: Category[]; rules: Rules;
}

export interface Session { sessionToken: string; expiresAt: string; account: { accountId: string; email: string } }

export interface QueueEntry { queueToken: string; position: number | null; etaSeconds: [number, number] | null }

export type QueueStatus = "WAITING" | "ADMITTED" | "EXPIRED" | "SECOND_CHANCE" | "CLOSED";

export interface QueueState {
  status: QueueStatus; eventId: string; position: number | null; ahead: number | null;
  etaSeconds: [number, number] | null; claimBy: string | null;
}

export interface Access { accessToken: string; expiresAt: string }

export interface HeldSeat {
  seatId: string; ordinal: number; section: string; row: string; seat: string; category: string; price: Money; area?: boolean;
}

export type HoldState = "ACTIVE" | "PAYING" | "CONVERTED" | "RELEASED" | "EXPIRED";

export interface Hold {
  holdId: string; eventId: string; state: HoldState; seats: HeldSeat[]; expiresAt: string; hardExpiresAt: string;
  total: Money; net?: Money; tax?: Money; lines?: PriceLine[]; serverTime: string; orderId?: string;
}

/** A line of a hold or an order. Seats name theirs; what is `included` is in the others and adds nothing. */
export interface PriceLine {
  kind: "seat" | "discount" | "fee" | "tax"; seatId?: string; section?: string; row?: string; seat?: string; area?: boolean;
  name?: string; rate?: number; included?: boolean; amount: Money;
}

export type OrderStatus =
  | "PENDING_PAYMENT" | "CONFIRMED" | "FAILED" | "EXPIRED" | "CANCELLED" | "REVIEW" | "REFUNDED" | "PARTLY_REFUNDED";

export interface Payment {
  attemptId: string; status: string; provider: string; actionUrl: string | null; reason: string | null; expiresAt: string | null;
}

export interface Ticket { ticketId: string; seatId: string; section: string; row: string; seat: string; area?: boolean; state: string; code?: string }

export interface Order {
  orderId: string; eventId: string; event: { title: string; venue: Venue; startsAt: string; timeZone: string };
  status: OrderStatus; reason: string | null; currency: string; total: Money; net?: Money; tax?: Money; lines: PriceLine[];
  payment: Payment | null;
  hold: { holdId: string; state: HoldState; expiresAt: string; hardExpiresAt: string } | null;
  tickets?: Ticket[]; createdAt: string;
}

// The answers of the HTTP API as the pages use them (edge/openapi.yaml is the reference). Instants are RFC 3339 in UTC.

/** An amount in the currency's minor units. */
export interface Money { amount: number; currency: string }

export interface Venue { name: string; city: string; country: string }

export type Availability = "on_sale_soon" | "available" | "limited" | "sold_out" | "cancelled";
export type EventState = "scheduled" | "on_sale" | "paused" | "closed" | "cancelled";

export interface EventCard {
  eventId: string; title: string; venue: Venue; genre: string; startsAt: string; onSaleAt: string; timeZone: string;
  capacity: number; priceRange: { min: Money; max: Money } | null; availability: Availability; state: EventState;
  /** From the place that was asked for. */
  distanceKm?: number;
}

/** A city, a genre or a venue that has events. */
export interface Suggestion { name: string; city?: string; country?: string; events: number }
export interface Suggestions { cities: Suggestion[]; genres: Suggestion[]; venues: Suggestion[] }

export interface Category { index: number; key: string; name: string; color: string; price: Money }

export interface Rules {
  maxPerAccount: number; holdSeconds: number; holdMaxSeconds: number; orphanMode: string; pressesPerMinute: number;
  /** Until then accessible seats and their companions are kept for those who ask; null: always. */
  accessibleReleaseAt?: string | null;
  fees?: Fee[];
  /** Hundredths of a percent, in prices and fees. */
  taxPercent?: number;
  /** Of the line in front of the event. */
  queue?: { claimSeconds?: number; entriesFrom?: string | null; tiers?: { name: string }[] } | null;
}

export type FeePer = "ticket" | "order" | "percent";

/** Charged beside the seats: an amount per ticket or order, or a rate in hundredths of a percent of their prices. */
export interface Fee { name: string; per: FeePer; amount?: Money; rate?: number }

/** One line of what a hold or an order costs. Those that are not `included` sum exactly to the total. */
export interface PriceLine {
  kind: "seat" | "discount" | "fee" | "tax"; amount: Money; included: boolean;
  seatId?: string; section?: string; row?: string; seat?: string; area?: boolean; // of a seat
  name?: string; per?: FeePer; rate?: number; // of a fee, discount or tax
}

export interface EventDetail {
  eventId: string; title: string; venue: Venue; genre: string; timeZone: string; currency: string; startsAt: string;
  onSaleAt: string; state: EventState; availability: Availability; capacity: number; epoch: number;
  chart: { chartId: string; version: number; url: string }; categories: Category[]; rules: Rules;
}

export interface Session { sessionToken: string; expiresAt: string; account: { accountId: string; email: string } }

export type QueueStatus = "WAITING" | "ADMITTED" | "SECOND_CHANCE" | "CLOSED";

/** ahead: null before the draw. */
export interface QueuePlace { status: QueueStatus; ahead: number | null; phase?: string; reason?: string }

export interface QueueEntry extends QueuePlace { queueToken: string }

export interface Access { accessToken: string; expiresAt: string }

export interface HeldSeat {
  seatId: string; ordinal: number; section: string; row: string; seat: string; category: string; price: Money; area?: boolean;
}

export type HoldState = "ACTIVE" | "PAYING" | "CONVERTED" | "RELEASED" | "EXPIRED";

export interface Hold {
  holdId: string; eventId: string; state: HoldState; seats: HeldSeat[]; expiresAt: string; hardExpiresAt: string;
  total: Money; net: Money; tax: Money; lines: PriceLine[]; serverTime: string; orderId?: string;
}

export type OrderStatus =
  | "PENDING_PAYMENT" | "CONFIRMED" | "FAILED" | "EXPIRED" | "CANCELLED" | "REVIEW" | "REFUNDED" | "PARTLY_REFUNDED";

export type PaymentStatus = "CREATED" | "PENDING" | "CAPTURED" | "DECLINED" | "CANCELLED" | "UNKNOWN";

export interface Payment {
  attemptId: string; status: PaymentStatus; provider: string; actionUrl: string | null; reason: string | null; expiresAt: string | null;
}

export interface Ticket { ticketId: string; seatId: string; section: string; row: string; seat: string; area?: boolean; state: "VALID" | "VOID"; code?: string | null }

export type RefundStatus = "REQUESTED" | "PENDING" | "DONE" | "FAILED";

/** Money on its way back. ticketIds: what was given back for it; none when the money bought nothing. */
export interface Refund {
  refundId: string; status: RefundStatus; amount: Money; reason: string; ticketIds: string[]; createdAt: string; updatedAt: string;
}

/** What the fan may give back now; until null: as long as there are tickets. */
export interface Refundable { until: string | null; amount: Money; keepsFees: boolean; ticketIds: string[]; tickets: RefundableTicket[] }

/** amount comes back for this ticket, kept does not: they are what was paid for it. */
export interface RefundableTicket { ticketId: string; amount: Money; kept: Money }

export interface OrderSummary {
  orderId: string; eventId: string; event: { title: string; venue: Venue; startsAt: string; timeZone: string };
  status: OrderStatus; reason: string | null; currency: string; total: Money; net: Money; tax: Money; lines: PriceLine[]; createdAt: string;
}

export interface Order extends OrderSummary {
  /** The fan asked to cancel; the provider has not agreed yet. */
  cancelling: boolean;
  payment: Payment | null;
  hold: { holdId: string; state: HoldState; expiresAt: string; hardExpiresAt: string } | null;
  tickets: Ticket[];
  refunds: Refund[];
  refundable?: Refundable | null;
  next?: ("pay" | "cancel" | "refund" | "wait")[];
  /** No provider answers; the seats are safe until the hold's end. */
  paymentDelayed?: boolean;
}

import type { Order, Payment, PriceLine, Refund, Ticket } from "../api/types.ts";

// A made-up order for tests: two seats of 100.00 and a fee of 20.00, at time 0. Not shipped: no page imports it.

const at = (ms: number): string => new Date(ms).toISOString();
export const brl = (amount: number): { amount: number; currency: string } => ({ amount, currency: "BRL" });

export const payment = (more: Partial<Payment> = {}): Payment =>
  ({ attemptId: "a1", status: "PENDING", provider: "sandbox", actionUrl: "/sandbox/pay/1", reason: null, expiresAt: at(300_000), ...more });

export const seatLine = (seat: string, more: Partial<PriceLine> = {}): PriceLine =>
  ({ kind: "seat", seatId: `A-1-${seat}`, section: "A", row: "1", seat, included: false, amount: brl(10_000), ...more });

export const ticket = (more: Partial<Ticket> = {}): Ticket =>
  ({ ticketId: "t1", seatId: "A-1-1", section: "A", row: "1", seat: "1", state: "VALID", code: "PLT1.X", ...more });

export const refund = (more: Partial<Refund> = {}): Refund =>
  ({ refundId: "r1", status: "REQUESTED", amount: brl(10_000), reason: "", ticketIds: [], createdAt: at(0), updatedAt: at(0), ...more });

export const order = (more: Partial<Order> = {}): Order => ({
  orderId: "o", eventId: "e", event: { title: "T", venue: { name: "V", city: "C", country: "BR" }, startsAt: at(0), timeZone: "UTC" },
  status: "PENDING_PAYMENT", reason: null, currency: "BRL", total: brl(22_000), net: brl(22_000), tax: brl(0), cancelling: false,
  lines: [seatLine("1"), seatLine("2"), { kind: "fee", name: "Service", per: "percent", rate: 1000, included: false, amount: brl(2000) }],
  payment: payment(), hold: { holdId: "h", state: "PAYING", expiresAt: at(330_000), hardExpiresAt: at(900_000) },
  tickets: [], refunds: [], createdAt: at(0), ...more,
});

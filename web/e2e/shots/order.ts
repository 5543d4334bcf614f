import type { Page } from "playwright-core";
import type { Order } from "../../src/api/types.ts";
import { enter, holdBest, orderId, pay, showsView, signIn, stadium, THEATRE, URL_ } from "../fan.ts";
import { altered, refused, type Scene, silent } from "./scene.ts";

type Change = (o: Order) => Partial<Order>;

const soon = (s: number): string => new Date(Date.now() + s * 1000).toISOString();

/** What money that goes back looks like: for some tickets their prices, else all. */
function refund(o: Order, status: Order["refunds"][number]["status"], ticketIds: string[] = []): Order["refunds"] {
  const seats = new Set(o.tickets.filter((k) => ticketIds.includes(k.ticketId)).map((k) => k.seatId));
  const prices = o.lines.filter((l) => l.kind === "seat" && seats.has(l.seatId ?? "")).reduce((sum, l) => sum + l.amount.amount, 0);
  const amount = { ...o.total, amount: prices || o.total.amount };
  return [{ refundId: `r-${status}`, status, amount, reason: "", ticketIds, createdAt: o.createdAt, updatedAt: soon(0) }];
}

const noPayment: Change = (o) => ({ payment: { ...o.payment!, actionUrl: null } });

/** Where an unpaid order may stand, as the product says it of the one that is really there. */
const UNPAID: Record<string, Change> = {
  preparing: noPayment,
  unknown: (o) => ({ payment: { ...o.payment!, status: "UNKNOWN" } }),
  delayed: () => ({ paymentDelayed: true, next: ["cancel"] }),
  hurry: (o) => ({ payment: { ...o.payment!, expiresAt: soon(45) } }),
  closing: (o) => ({ payment: { ...o.payment!, expiresAt: soon(-5) } }),
  declined: (o) => ({ status: "FAILED", payment: { ...o.payment!, status: "DECLINED" } }),
  cancelling: () => ({ cancelling: true }),
  expired: () => ({ status: "EXPIRED", hold: null }),
  cancelled: () => ({ status: "CANCELLED", hold: null }),
  late: (o) => ({ status: "EXPIRED", hold: null, refunds: refund(o, "PENDING") }),
  "late-failed": (o) => ({ status: "EXPIRED", hold: null, refunds: refund(o, "FAILED") }),
  review: () => ({ status: "REVIEW", hold: null }),
};

const voided = (o: Order): Order["tickets"] => o.tickets.map((k) => ({ ...k, state: "VOID" }));

/** And a paid one. */
const PAID: Record<string, Change> = {
  twice: (o) => ({ refunds: refund(o, "PENDING") }),
  partly: (o) => ({ status: "PARTLY_REFUNDED", tickets: o.tickets.map((k, i) => (i === 0 ? { ...k, state: "VOID" } : k)), refunds: refund(o, "REQUESTED", [o.tickets[0]!.ticketId]) }),
  returned: (o) => ({ status: "CANCELLED", tickets: voided(o), refunds: refund(o, "PENDING", o.tickets.map((k) => k.ticketId)), refundable: null }),
  refunded: (o) => ({ status: "REFUNDED", tickets: voided(o), refunds: refund(o, "DONE", o.tickets.map((k) => k.ticketId)), refundable: null }),
  "refund-failed": (o) => ({ status: "CANCELLED", tickets: voided(o), refunds: refund(o, "FAILED", o.tickets.map((k) => k.ticketId)), refundable: null }),
};

/** Scenes that are a view under a name of their own. */
const VIEWS: Record<string, string> = { hurry: "continue", "late-failed": "late", twice: "confirmed", "refund-failed": "returned" };

/** Shows the order as each of these in turn, by loading its page anew. */
async function asEach(page: Page, changes: Record<string, Change>, seen: (view: string) => Promise<void>): Promise<void> {
  const url = /\/v1\/orders\/[^/]+$/;
  for (const [view, change] of Object.entries(changes)) {
    await altered<Order>(page, url, (o) => ({ ...o, ...change(o) }));
    await page.reload();
    await showsView(page, VIEWS[view] ?? view);
    await page.waitForSelector(".ticket .spinner", { state: "detached" }); // the codes come after the tickets
    await seen(view);
    await page.unroute(url);
  }
}

/** Holds three seats and goes to the page that pays for them. */
async function toPay(page: Page): Promise<void> {
  await enter(page, (await stadium()).eventId);
  await holdBest(page, 3);
  await page.click("#checkout");
  await page.waitForURL(/\/pay\//);
  await showsView(page, "continue");
}

/** Payment, tickets, money back. */
export const order: Scene[] = [
  {
    name: "order-unpaid", run: async ({ camera, fan }) => {
      const page = await fan();
      await toPay(page);
      await camera.take(page, "pay-continue", { whole: true });
      await page.click("#cancel-order");
      await camera.take(page, "pay-cancel-sure");
      await refused(page, /\/cancel$/, 500, "INTERNAL", { requestId: "01J8ZC3T5W" });
      await page.click(".sure .danger");
      await page.waitForSelector(".status .notice.bad");
      await camera.take(page, "pay-cancel-refused");
      await page.unrouteAll();
      await page.click(".sure .quiet");
      await page.context().setOffline(true);
      await page.waitForSelector(".net");
      await camera.take(page, "pay-offline");
      await page.context().setOffline(false);
      await asEach(page, UNPAID, (view) => camera.take(page, `pay-${view}`, { whole: true }));
    },
  },
  {
    name: "order-paid", run: async ({ camera, fan }) => {
      const page = await fan();
      await toPay(page);
      await page.click("#to-provider");
      await page.waitForURL(/\/sandbox2?\//);
      await camera.take(page, "provider");
      await page.goBack();
      await showsView(page, "waiting");
      await camera.take(page, "pay-waiting");
      await pay(page, "approve");
      await page.waitForSelector(".qr >> nth=2");
      await camera.take(page, "order-confirmed", { whole: true });
      await page.click("#give-back");
      await page.waitForSelector("dialog[open]");
      await page.locator("dialog input").nth(1).check();
      await camera.take(page, "give-back");
      await page.click("#give-back-next");
      await camera.take(page, "give-back-sure");
      await page.keyboard.press("Escape");
      await asEach(page, PAID, (view) => camera.take(page, `order-${view}`, { whole: true }));
      await page.route(/\.png$/, (route) => route.abort());
      await page.reload();
      await page.waitForSelector(".ticket .gone");
      await camera.take(page, "order-code-failed");
      const order = orderId(page);
      await silent(page, /\/v1\/orders\//);
      await page.evaluate(() => scrollTo(0, 0)); // a reload would go back to where one was
      await page.reload();
      await camera.take(page, "order-loading");
      await page.unrouteAll();
      await page.goto(`${URL_}/orders/${order.replace(/^...../, "00000")}`);
      await page.waitForSelector(".state");
      await camera.take(page, "order-unknown");
      await page.route(/\/v1\/orders\//, (route) => route.abort());
      await page.goto(`${URL_}/orders/${order}`);
      await page.waitForSelector(".state");
      await camera.take(page, "order-offline");
      const stranger = await fan();
      await stranger.goto(`${URL_}/orders/${order}`);
      await stranger.waitForSelector("#email");
      await camera.take(stranger, "order-door");
    },
  },
  {
    name: "orders", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.goto(`${URL_}/orders`);
      await page.waitForSelector("#email");
      await camera.take(page, "orders-door");
      await signIn(page);
      await page.waitForSelector(".state");
      await camera.take(page, "orders-empty");
      await page.click("#account summary");
      await camera.take(page, "account-menu");
      for (const [event, outcome] of [[THEATRE, "approve"], [(await stadium()).eventId, "decline"]] as const) {
        await page.goto(`${URL_}/events/${event}`);
        await holdBest(page, 2);
        await pay(page, outcome);
        await showsView(page, outcome === "approve" ? "confirmed" : "declined");
      }
      await page.goto(`${URL_}/orders`);
      await page.waitForSelector(".order-list .card >> nth=1");
      await camera.take(page, "orders");
      await page.route(/\/v1\/orders/, (route) => route.abort());
      await page.reload();
      await page.waitForSelector(".state");
      await camera.take(page, "orders-failed");
      await page.unrouteAll();
      await silent(page, /\/v1\/orders/);
      await page.reload();
      await camera.take(page, "orders-loading");
    },
  },
];

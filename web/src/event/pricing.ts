import type { Fee, Money, PriceLine, Rules } from "../api/types.ts";

const HUNDRED_PERCENT = 10_000; // rates are in hundredths of a percent

/** part/whole of an amount rounded half up, in whole numbers: exact while amount × part is below 2^53. */
function share(amount: number, part: number, whole: number): number {
  const n = amount * part, rest = n % whole;
  return (n - rest) / whole + (rest * 2 >= whole ? 1 : 0);
}

/** What seats cost with everything that is charged beside them; tax is in it. Minor units. */
export interface Cost { fees: [fee: Fee, amount: number][]; total: number; tax: number }

/** Works out what a hold of so many seats, whose prices sum to that, will cost: as the server does (core/order.Price). */
export function costOf(rules: Pick<Rules, "fees" | "taxPercent">, seats: number, prices: number): Cost {
  const fees = (rules.fees ?? []).map((fee): [Fee, number] => [fee, charged(fee, seats, prices)]).filter(([, amount]) => amount > 0);
  const total = fees.reduce((sum, [, amount]) => sum + amount, prices);
  const rate = rules.taxPercent ?? 0;
  return { fees, total, tax: rate > 0 ? total - share(total, HUNDRED_PERCENT, HUNDRED_PERCENT + rate) : 0 };
}

/** What one seat of that price costs with the fees that come with it; a fee per order is none of them. */
export function allIn(rules: Pick<Rules, "fees">, price: Money): Money {
  const fees = (rules.fees ?? []).filter((fee) => fee.per !== "order");
  return { ...price, amount: fees.reduce((sum, fee) => sum + charged(fee, 1, price.amount), price.amount) };
}

/** The fees that were charged for so many seats, as an event's rules have them. */
export const feesOf = (charges: readonly PriceLine[], seats: number): Fee[] => charges.map(({ name = "", per = "order", rate, amount }) =>
  ({ name, per, rate, amount: { ...amount, amount: amount.amount / (per === "ticket" ? seats : 1) } }));

/**
 * The highest price of a seat that is shown as no more than amount, minor units: what a fan's highest price is for the API,
 * which knows prices without fees. 0 when even a free seat is shown as more.
 */
export function beforeFees(rules: Pick<Rules, "fees">, amount: Money): Money {
  let least = 0, over = Math.min(amount.amount, Number.MAX_SAFE_INTEGER - 1) + 1; // fees are never less than nothing
  while (over - least > 1) {
    const middle = least + Math.floor((over - least) / 2);
    if (allIn(rules, { ...amount, amount: middle }).amount <= amount.amount) least = middle;
    else over = middle;
  }
  return { ...amount, amount: least };
}

function charged(fee: Fee, seats: number, prices: number): number {
  if (seats === 0) return 0;
  if (fee.per === "percent") return share(prices, fee.rate ?? 0, HUNDRED_PERCENT);
  return (fee.amount as Money).amount * (fee.per === "ticket" ? seats : 1);
}

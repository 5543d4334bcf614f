import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Fee, PriceLine } from "../api/types.ts";
import { allIn, beforeFees, costOf, feesOf } from "./pricing.ts";

interface Case {
  name: string; prices: number[]; taxPercent: number; charged: number[]; total: number; tax: number;
  fees: { name: string; perTicket?: number; perOrder?: number; percent?: number }[];
}

const cases = JSON.parse(readFileSync("../core/order/testdata/prices.json", "utf8")) as Case[];

for (const c of cases) {
  test(`the page and the server charge the same: ${c.name}`, () => {
    const fees = c.fees.map((f): Fee => f.percent ? { name: f.name, per: "percent", rate: f.percent }
      : { name: f.name, per: f.perTicket ? "ticket" : "order", amount: { amount: (f.perTicket ?? f.perOrder)!, currency: "BRL" } });
    const cost = costOf({ fees, taxPercent: c.taxPercent }, c.prices.length, c.prices.reduce((a, b) => a + b, 0));
    assert.deepEqual([cost.fees.map(([, amount]) => amount), cost.total, cost.tax], [c.charged, c.total, c.tax]);
  });
}

test("nothing chosen costs nothing", () => {
  const fees: Fee[] = [{ name: "order", per: "order", amount: { amount: 99, currency: "BRL" } }];
  assert.deepEqual(costOf({ fees, taxPercent: 700 }, 0, 0), { fees: [], total: 0, tax: 0 });
});

test("the price that is shown has the fees that come with a seat, and none that an order has once", () => {
  const brl = (amount: number) => ({ amount, currency: "BRL" });
  const fees: Fee[] = [{ name: "service", per: "percent", rate: 1000 }, { name: "print", per: "ticket", amount: brl(250) }, { name: "order", per: "order", amount: brl(990) }];
  assert.deepEqual(allIn({ fees }, brl(69_000)), brl(69_000 + 6900 + 250));
  assert.deepEqual(allIn({}, brl(4000)), brl(4000));
});

const shownAs = (fees: Fee[], currency: string, ...prices: number[]): number[] => prices.map((amount) => allIn({ fees }, { amount, currency }).amount);

test("the price that is shown for one seat is what the server charges for one seat, whatever the tax and the currency", () => {
  for (const c of cases) {
    const fees = c.fees.filter((f) => !f.perOrder).map((f): Fee => f.percent ? { name: f.name, per: "percent", rate: f.percent }
      : { name: f.name, per: "ticket", amount: { amount: f.perTicket!, currency: "BRL" } });
    for (const amount of c.prices) {
      assert.equal(allIn({ fees }, { amount, currency: "BRL" }).amount, costOf({ fees, taxPercent: c.taxPercent }, 1, amount).total, c.name);
    }
  }
  const tenth: Fee[] = [{ name: "service", per: "percent", rate: 1000 }];
  assert.deepEqual(shownAs(tenth, "JPY", 9804, 9805), [10_784, 10_786]); // whole yen: 980.4 and 980.5
  assert.deepEqual(shownAs(tenth, "KWD", 12_344, 12_345), [13_578, 13_580]); // thousandths of a dinar
  assert.deepEqual(shownAs([{ name: "print", per: "ticket", amount: { amount: 250, currency: "KWD" } }], "KWD", 12_345), [12_595]);
});

test("a highest price goes back to what it is before fees, and lets in exactly the seats that are shown at it or below", () => {
  const rates = [0, 1, 333, 1000, 1250, 9999, 10_000], each = [0, 1, 250];
  for (const rate of rates) for (const amount of each) for (const currency of ["BRL", "JPY", "KWD"]) {
    const fees: Fee[] = [{ name: "service", per: "percent", rate }, { name: "print", per: "ticket", amount: { amount, currency } },
      { name: "order", per: "order", amount: { amount: 990, currency } }];
    for (const price of [0, 1, 4, 5, 14_000, 9_805, 12_345, 99_999_999_999]) {
      const [shown, next] = shownAs(fees, currency, price, price + 1);
      assert.equal(beforeFees({ fees }, { amount: shown, currency }).amount, price);
      assert.equal(beforeFees({ fees }, { amount: next - 1, currency }).amount, price, "between two prices");
    }
  }
});

test("a highest price below every fee, or above every price, is still one that the server reads", () => {
  const fees: Fee[] = [{ name: "print", per: "ticket", amount: { amount: 250, currency: "BRL" } }];
  assert.equal(beforeFees({ fees }, { amount: 100, currency: "BRL" }).amount, 0);
  for (const amount of [1e15, 1e30, Infinity]) assert.ok(Number.isSafeInteger(beforeFees({ fees }, { amount, currency: "BRL" }).amount));
});

test("the fees on an order's lines give the prices that were shown, and what they leave of the total is less than one unit a seat and fee", () => {
  const brl = (amount: number) => ({ amount, currency: "BRL" });
  for (const c of cases) {
    const fees = c.fees.map((f): Fee => f.percent ? { name: f.name, per: "percent", rate: f.percent }
      : { name: f.name, per: f.perTicket ? "ticket" : "order", amount: brl((f.perTicket ?? f.perOrder)!) });
    const { total, fees: charged } = costOf({ fees }, c.prices.length, c.prices.reduce((a, b) => a + b, 0));
    const lines = charged.map(([{ name, per, rate }, amount]): PriceLine => ({ kind: "fee", included: false, name, per, ...(rate !== undefined && { rate }), amount: brl(amount) }));
    const shown = c.prices.map((price) => allIn({ fees: feesOf(lines, c.prices.length) }, brl(price)).amount);
    assert.deepEqual(shown, c.prices.map((price) => allIn({ fees }, brl(price)).amount), c.name);
    const once = lines.filter((l) => l.per === "order").reduce((sum, l) => sum + l.amount.amount, 0);
    const rest = total - once - shown.reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(rest) <= c.prices.length * Math.max(1, fees.length), `${c.name}: ${rest}`);
  }
});

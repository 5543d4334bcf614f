import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Fee } from "../api/types.ts";
import { allIn, costOf } from "./pricing.ts";

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

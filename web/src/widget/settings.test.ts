import { test } from "node:test";
import assert from "node:assert/strict";
import { limitsOf, readSettings, type Settings } from "./settings.ts";

const read = (attributes: Record<string, string>) => readSettings((name) => attributes[name] ?? null);

/** Limits that say something. */
const limits = (s: Settings, currency: string) => Object.fromEntries(Object.entries(limitsOf(s, { currency })).filter(([, limit]) => limit !== undefined));

test("attributes are read as people write them", () => {
  const s = read({ event: " e1 ", mode: "frame", theme: "dark", "max-price": "120.50", sections: "110, 111 ,", accessible: "", "max-seats": "4.7" });
  assert.deepEqual([s.event, s.frame, s.theme, s.maxPrice, s.sections, s.accessible, s.maxSeats], ["e1", true, "dark", 120.5, ["110", "111"], true, 4]);
});

test("what makes no sense is as if it were not there", () => {
  const s = read({ mode: "iframe", theme: "blue", "max-price": "cheap", "min-price": "-3", sections: " , ", accessible: "false", "max-seats": "0" });
  assert.deepEqual(s, { ...read({}) });
  assert.deepEqual([s.frame, s.theme, s.maxPrice, s.minPrice, s.sections, s.accessible, s.maxSeats, s.heading],
    [false, "auto", undefined, undefined, undefined, false, undefined, true]);
});

test("limits are in the currency's minor units", () => {
  assert.deepEqual(limits(read({ "min-price": "80", "max-price": "120.50" }), "BRL"), { minPrice: 8000, maxPrice: 12050 });
  assert.deepEqual(limits(read({ "max-price": "9800" }), "JPY"), { maxPrice: 9800 });
  assert.deepEqual(limits(read({ categories: "vip", accessible: "true" }), "KWD"), { categories: ["vip"], accessible: true });
  assert.deepEqual(limits(read({}), "USD"), {});
});

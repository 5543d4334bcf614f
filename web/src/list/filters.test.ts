import { test } from "node:test";
import assert from "node:assert/strict";
import { address, none, narrowed, question, readAddress, relaxed, rounded, without } from "./filters.ts";

const here = { lat: -23.55, lon: -46.63 };

test("an address is read as it was written", () => {
  for (const f of [
    none,
    { ...none, q: "São João 山田 🎉 & more", city: "São Paulo", genre: "Rock", venue: "Arena +1" },
    { ...none, near: here, km: 100, sort: "distance" as const },
    { ...none, from: "2026-12-01", to: "2026-12-31", sort: "price" as const },
  ]) assert.deepEqual(readAddress(new URL(address(f), "http://x").search, here), f);
});

test("an address says nothing that is not asked for, and never where somebody is", () => {
  assert.equal(address(none), "/");
  assert.equal(address({ ...none, near: here }), "/?near=me");
  assert.equal(address({ ...none, q: "  a   b " }), "/?q=a+b");
});

test("nonsense in an address is left out", () => {
  const f = readAddress("?sort=distance&near=me&km=5&from=2026-13-01&to=x&city=%20&utm=1", null);
  assert.deepEqual(f, none);
  assert.equal(readAddress("?from=2026-12-05&to=2026-12-01", null).to, "");
  assert.equal(readAddress("?near=me&km=9999", here).km, 50);
  assert.equal(readAddress(`?q=${"a".repeat(5000)}`, null).q.length, 100);
});

test("the same question is asked in the same words", () => {
  assert.equal(question(none), "/v1/events");
  assert.equal(question({ ...none, q: " ROCK  in Rio", genre: "Rock" }), question({ ...none, q: "rock in rio", genre: "rock" }));
  assert.equal(question({ ...none, near: here, km: 50, sort: "distance" }), "/v1/events?near=-23.55%2C-46.63&sort=distance");
  assert.equal(question({ ...none, city: "Recife" }, "abc", 40), "/v1/events?city=recife&limit=40&cursor=abc");
});

test("where somebody is, is told to a kilometre", () => {
  assert.deepEqual(rounded({ lat: -23.550519, lon: -46.633309 }), here);
  assert.ok(Object.is(rounded({ lat: -0.001, lon: 0 }).lat, 0));
});

test("parts are taken away one by one", () => {
  const f = { ...none, q: "a", city: "b", near: here, km: 10, from: "2026-01-01", sort: "distance" as const };
  assert.deepEqual(narrowed(f), ["city", "near", "days"]);
  assert.deepEqual(without(f, "near"), { ...f, near: null, km: 50, sort: "date" });
  assert.deepEqual(narrowed(without(f, "days")), ["city", "near"]);
});

test("what is tried instead gets wider and is never the same again", () => {
  const f = { ...none, q: "a", city: "b", from: "2026-01-01" };
  assert.deepEqual(relaxed(f).map((r) => question(r)), ["/v1/events?q=a&city=b", "/v1/events?q=a", "/v1/events"]);
  assert.deepEqual(relaxed({ ...none, q: "a" }).map((r) => question(r)), ["/v1/events"]);
  assert.deepEqual(relaxed(none), []);
});

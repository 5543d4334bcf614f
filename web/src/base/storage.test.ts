import { test } from "node:test";
import assert from "node:assert/strict";
import { safeStore } from "./storage.ts";

const throwing = (): never => {
  throw new DOMException("denied", "SecurityError");
};

test("a storage that cannot even be opened falls back to memory (case 30)", () => {
  const store = safeStore(throwing);
  store.set("a", "1");
  assert.equal(store.get("a"), "1");
  store.remove("a");
  assert.equal(store.get("a"), null);
});

test("a full storage keeps the newest value in memory and does not read the stale one", () => {
  const inner = new Map([["a", "old"]]);
  const store = safeStore(() => ({
    getItem: (k) => inner.get(k) ?? null, setItem: throwing, removeItem: (k) => void inner.delete(k),
  }));
  store.set("a", "new");
  assert.equal(store.get("a"), "new");
  store.remove("a");
  assert.equal(store.get("a"), null);
});

test("a working storage is used", () => {
  const inner = new Map<string, string>();
  const store = safeStore(() => ({
    getItem: (k) => inner.get(k) ?? null, setItem: (k, v) => void inner.set(k, v), removeItem: (k) => void inner.delete(k),
  }));
  store.set("a", "1");
  assert.equal(inner.get("a"), "1");
});

import { test } from "node:test";
import assert from "node:assert/strict";

test("importing the element or the loader on a server does nothing and breaks nothing", async () => {
  const before = Object.getOwnPropertySymbols(globalThis).length;
  const { define, PlateiaMap } = await import("./plateia-map.ts");
  define();
  assert.equal(typeof PlateiaMap, "function");
  await import("./loader.ts");
  assert.equal(Object.getOwnPropertySymbols(globalThis).length, before);
});

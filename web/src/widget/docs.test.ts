import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { OURS } from "../embed/palette.ts";
import { PlateiaMap } from "./element.ts";
import { ATTRIBUTES } from "./settings.ts";

const page = readFileSync("pages/embed.html", "utf8");
const missing = (names: readonly string[]): string[] => names.filter((name) => !page.includes(`<code>${name}`) && !page.includes(`, ${name}`));

test("the documentation names every attribute, member, event and custom property", () => {
  assert.deepEqual(missing(ATTRIBUTES), []);
  const own = Object.getOwnPropertyNames(PlateiaMap.prototype).filter((name) => !/^constructor$|Callback$/.test(name));
  assert.deepEqual(missing(own), []);
  const told = [...readFileSync("src/widget/body.ts", "utf8").matchAll(/"(plateia-[a-z]+)":/g)].map((m) => m[1]!);
  assert.equal(told.length, 7);
  assert.deepEqual(missing(told), []);
  assert.deepEqual(missing(Object.keys(OURS).filter((name) => !/^price-[2-7]$/.test(name))), []);
});

test("the documentation names every code of an error", () => {
  const codes = [...readFileSync("src/widget/missing.ts", "utf8").matchAll(/"([A-Z_]+)"/g)].map((m) => m[1]!);
  assert.deepEqual(missing([...new Set(codes)]), []);
});

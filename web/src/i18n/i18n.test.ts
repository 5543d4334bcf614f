import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { all } from "./all.ts";
import { plural } from "../event/words.ts";
import { fill } from "./speech.ts";

const placeholders = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]!).sort();

test("every language has the same keys, none is empty, placeholders agree", () => {
  const keys = Object.keys(all.en).sort();
  for (const [language, texts] of Object.entries(all)) {
    assert.deepEqual(Object.keys(texts).sort(), keys, language);
    for (const key of keys as (keyof typeof texts)[]) {
      assert.notEqual(texts[key].trim(), "", `${language}.${key}`);
      assert.deepEqual(placeholders(texts[key]), placeholders(all.en[key]), `${language}.${key}`);
    }
  }
});

test("a text that counts things comes for one of them, too", () => {
  const counted = /\{(n|seconds)\} (?!free|more|per|for|of|s\b)\p{L}+/u;
  const never1 = ["opMinutes", "opSomeEvents", "noSeatsQuantity"]; // 5 and up, 2 and up
  const bad = Object.entries(all.en).filter(([key, text]) => counted.test(text) && !/_(one|other)$/.test(key) && !never1.includes(key));
  assert.deepEqual(bad, []);
});

test("every text is used somewhere", () => {
  const read = (dir: string): string => readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((f) => /\.(ts|html)$/.test(f) && !f.includes("i18n")).map((f) => readFileSync(join(dir, f), "utf8")).join("\n");
  const source = read("src") + read("pages");
  const computed = /^(avail|st|view|lead|why|refund|refundLead|over|overLead|phase|held|cause|verb|span|partner)_/;
  const unused = Object.keys(all.en).filter((key) => {
    const base = key.replace(/_(one|other)$/, "");
    return !computed.test(key) && !source.includes(`"${base}"`) && !source.includes(`{{${base}}}`);
  });
  assert.deepEqual(unused, []);
});

test("plural and fill", () => {
  assert.equal(plural("hold", 1), "Hold 1 seat");
  assert.equal(plural("hold", 65378), "Hold 65,378 seats");
  assert.equal(fill("{a} and {b}", { a: 1 }), "1 and {b}");
});

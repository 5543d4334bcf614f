import { test } from "node:test";
import assert from "node:assert/strict";
import { all } from "./all.ts";

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

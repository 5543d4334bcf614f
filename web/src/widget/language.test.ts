import { test } from "node:test";
import assert from "node:assert/strict";
import { firstLanguage, languageFor } from "./language.ts";

test("tags become one of our languages", () => {
  assert.equal(languageFor("pt"), "pt-BR");
  assert.equal(languageFor("pt-PT"), "pt-BR");
  assert.equal(languageFor("ES-419"), "es");
  assert.equal(languageFor("en-GB"), "en");
  for (const tag of ["", "fr", "est", "eng", "ptx"]) assert.equal(languageFor(tag), undefined, tag);
});

test("the first that is ours wins, English is what is left", () => {
  assert.equal(firstLanguage(["fr-FR", "es-MX", "en"]), "es");
  assert.equal(firstLanguage([]), "en");
  assert.equal(firstLanguage(["de", "ar"]), "en");
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { eventDate, stub, venueLine } from "./format.ts";

test("a venue without a city ends without a comma", () => {
  assert.equal(venueLine({ name: "Arena", city: "Recife", country: "BR" }), "Arena, Recife");
  assert.equal(venueLine({ name: "Plan", city: "", country: "" }), "Plan");
  assert.equal(venueLine({ name: "Plan", city: "", country: "" }, " · "), "Plan");
});

test("hours are written the language's way: no 08:00 PM", () => {
  const at = "2027-02-21T23:00:00Z";
  assert.match(eventDate(at, "America/Sao_Paulo"), /\b8:00\s?PM/);
  assert.doesNotMatch(stub(at, "America/Sao_Paulo").time, /^0/);
});

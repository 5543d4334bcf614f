import { test } from "node:test";
import assert from "node:assert/strict";
import { placeName } from "../order/tickets.ts";
import { sectionName } from "./format.ts";

test("a number or a letter is called a section; a name of the organizer's is not called one again", () => {
  const named = (name: string): string => sectionName(name, (n) => `Section ${n}`);
  for (const code of ["106", "A", "12B", "VIP", "N 4", "Sul"]) assert.equal(named(code), `Section ${code}`);
  for (const name of ["Stalls", "Rear stalls", "Section 106", "Setor 12", "Tribuna 2", "Platéia", "Ложа"]) assert.equal(named(name), name);
});

test("a ticket's seat is named by its section as well, a place of an area by the area", () => {
  assert.equal(placeName({ section: "106", row: "A", seat: "4" }), "Section 106, row A, seat 4");
  assert.equal(placeName({ section: "Stalls", row: "G", seat: "1" }), "Stalls, row G, seat 1");
  assert.equal(placeName({ section: "Pista", row: "", seat: "", area: true }), "Pista");
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { partnerChange, type Recorded } from "./partner-words.ts";

const arena: Recorded = { name: "Arena", suspended: false, origins: ["https://arena.example"], allEvents: false, events: ["a"] };

test("what was done to a partner is told member by member", () => {
  const all: [Recorded | null, Recorded | null, string][] = [
    [null, arena, "+ https://arena.example, one event"],
    [arena, { ...arena, origins: ["https://tickets.arena.example"] }, "+ https://tickets.arena.example, − https://arena.example"],
    [arena, { ...arena, suspended: true }, "paused"],
    [{ ...arena, suspended: true }, arena, "goes on"],
    [arena, { ...arena, name: "Big Arena", events: ["a", "b"] }, "Arena → Big Arena, one event → 2 events"],
    [arena, { ...arena, allEvents: true, events: [] }, "one event → all events"],
    [arena, { ...arena, events: ["b"] }, "one event → one event"],
    [arena, null, "− https://arena.example"],
  ];
  for (const [before, after, told] of all) assert.equal(partnerChange(before, after), told.replaceAll(/([+−]) /g, "$1\u00a0")); // a sign stays with its origin;
});

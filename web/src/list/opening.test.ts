import { test } from "node:test";
import assert from "node:assert/strict";
import { spanText } from "./opening.ts";

const S = 1000, M = 60 * S, H = 60 * M, D = 24 * H;

test("a span is said in two units and never as nothing", () => {
  for (const [ms, text] of [
    [0, "1 sec"], [1, "1 sec"], [59 * S, "59 sec"], [59 * S + 1, "1 min"], [M, "1 min"], [3 * M + 4 * S, "3 min 4 sec"], [59 * M + 59.5 * S, "1 hr"],
    [2 * H + 14 * M, "2 hr 14 min"], [2 * H + 13 * M + 1, "2 hr 14 min"], [23 * H + 59 * M + 1, "1 day"], [D, "1 day"], [2 * D + 5 * H, "2 days 5 hr"], [6 * D + 23.5 * H, "7 days"],
  ] as const) assert.equal(spanText(ms), text, String(ms));
});

import { test } from "node:test";
import assert from "node:assert/strict";
import { Problem } from "../api/problem.ts";
import { claimRefused, entryRefused } from "./acting.ts";

test("what a refused entry means", () => {
  const kind = (code: string, status: number, body = {}): string => entryRefused(new Problem(code, status, body)).kind;
  assert.equal(kind("INVALID", 400, { field: "code" }), "code");
  assert.equal(kind("CHALLENGE_REQUIRED", 403), "prove");
  assert.equal(kind("UNAUTHENTICATED", 401), "signed-out");
  assert.equal(kind("EVENT_STATE", 409), "closed");
  assert.equal(kind("CONFLICT", 409, { reason: "moved" }), "elsewhere");
  for (const [code, status] of [["OFFLINE", 0], ["RATE_LIMITED", 429], ["INTERNAL", 500], ["BUSY", 503]] as const) assert.equal(kind(code, status), "later", code);
  assert.deepEqual(entryRefused(new Problem("RATE_LIMITED", 429, { retryAfterSeconds: 7 })), { kind: "later", after: 7000 });
  assert.equal(entryRefused(new TypeError("?")).kind, "later");
});

test("what a refused claim means: nothing recoverable costs the place", () => {
  assert.deepEqual(claimRefused(new Problem("WAITING", 409, { reason: "moment", retryAfterSeconds: 3 })), { kind: "moment", after: 3000 });
  assert.equal(claimRefused(new Problem("WAITING", 409, { reason: "moved" })).kind, "elsewhere");
  assert.equal(claimRefused(new Problem("UNAUTHENTICATED", 401)).kind, "signed-out");
  assert.equal(claimRefused(new Problem("OFFLINE", 0)).kind, "later");
});

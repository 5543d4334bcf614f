import { test } from "node:test";
import assert from "node:assert/strict";
import { tabbed } from "../base/storage.ts";
import { dropSent, keepSent, keptSent } from "./code-sent.ts";

test("a page that was thrown away while its reader looked for the mail knows that a code was sent, and to whom", () => {
  keepSent("a@example.com", { devInbox: "/dev/inbox" });
  assert.deepEqual(keptSent("")?.email, "a@example.com");
  assert.deepEqual(keptSent("a@example.com")?.sent, { devInbox: "/dev/inbox" });
  assert.equal(keptSent("b@example.com"), null, "somebody else is asked to sign in");
  dropSent();
  assert.equal(keptSent(""), null);
});

test("a code that counts no more is not asked for", () => {
  tabbed.set("plateia.code", JSON.stringify({ email: "a@example.com", at: Date.now() - 600_001, sent: {} }));
  assert.equal(keptSent(""), null);
  tabbed.set("plateia.code", "not JSON");
  assert.equal(keptSent(""), null);
});

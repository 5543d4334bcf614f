import { test } from "node:test";
import assert from "node:assert/strict";
import { lasting, tabbed } from "../base/storage.ts";
import { access, keptTicket } from "./kept.ts";

const soon = (): string => new Date(Date.now() + 600_000).toISOString();
const signedInAs = (accountId: string): void =>
  lasting.set("plateia.session", JSON.stringify({ sessionToken: "s", expiresAt: soon(), account: { accountId, email: "x@example.com" } }));

test("an access token is its account's alone: the next one to sign in does not get it", () => {
  signedInAs("a");
  tabbed.set("plateia.access.e1.a", JSON.stringify({ accessToken: "t", expiresAt: soon() }));
  lasting.set("plateia.queue.e1.a", "q");
  assert.equal(access("e1")?.accessToken, "t");
  assert.equal(keptTicket("e1"), "q");
  signedInAs("b");
  assert.equal(access("e1"), null);
  assert.equal(keptTicket("e1"), null);
  lasting.remove("plateia.session");
  assert.equal(access("e1"), null);
});

test("a token that ends within seconds is not used for a new request", () => {
  signedInAs("a");
  tabbed.set("plateia.access.e2.a", JSON.stringify({ accessToken: "t", expiresAt: new Date(Date.now() + 5000).toISOString() }));
  assert.equal(access("e2"), null);
});

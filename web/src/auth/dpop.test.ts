import { test } from "node:test";
import assert from "node:assert/strict";
import { proof } from "./dpop.ts";

const decode = (part: string): any => JSON.parse(Buffer.from(part, "base64url").toString());

test("a proof names method, path and time and verifies with the key in its header", async () => {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const jwt = await proof(keys, "POST", "https://tickets.example/v1/queue/claim", "abc", 1_700_000_000_900);
  const [header, claims, signature] = jwt.split(".") as [string, string, string];
  assert.deepEqual({ typ: decode(header).typ, alg: decode(header).alg }, { typ: "dpop+jwt", alg: "ES256" });
  assert.deepEqual(Object.keys(decode(header).jwk).sort(), ["crv", "kty", "x", "y"]);
  assert.equal(decode(claims).iat, 1_700_000_000);
  assert.equal(decode(claims).htm, "POST");
  assert.equal(decode(claims).ath, "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"); // of "abc"
  assert.equal(decode(claims).htu, "https://tickets.example/v1/queue/claim");
  const key = await crypto.subtle.importKey("jwk", decode(header).jwk, { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);
  const signed = new TextEncoder().encode(`${header}.${claims}`);
  const sig = Uint8Array.from(Buffer.from(signature, "base64url"));
  assert.equal(await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, sig, signed), true);
});

test("two proofs never share their id", async () => {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const ids = await Promise.all([1, 2].map(async () => decode((await proof(keys, "GET", "/", "", 0)).split(".")[1]!).jti));
  assert.notEqual(ids[0], ids[1]);
});

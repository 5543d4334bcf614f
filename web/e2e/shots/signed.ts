import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { Page } from "playwright-core";
import type { LineDocument } from "../../src/room/document.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const { x } = publicKey.export({ format: "jwk" });
const kid = createHash("sha256").update(JSON.stringify({ crv: "Ed25519", kty: "OKP", x })).digest("base64url").slice(0, 16);

const coded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

let version = 1_000_000;

/** The page sees the line as it is changed here, signed with a key of our own. Answers a function that changes it once more. */
export async function lineAs(page: Page, change: (d: LineDocument) => void): Promise<(next: (d: LineDocument) => void) => void> {
  await page.route("**/.well-known/jwks.json", (route) => route.fulfill({ json: { keys: [{ kty: "OKP", crv: "Ed25519", x, kid }] } }));
  await page.route("**/frontier", async (route) => {
    const answer = await route.fetch({ headers: { ...route.request().headers(), "if-none-match": "" } });
    const d = JSON.parse(Buffer.from(((await answer.json()) as { payload: string }).payload, "base64url").toString()) as LineDocument;
    change(d);
    d.version = ++version;
    d.time = Date.now();
    const head = coded({ alg: "EdDSA", kid, typ: "frontier+jws" }), payload = coded(d);
    await route.fulfill({ json: { protected: head, payload, signature: sign(null, Buffer.from(`${head}.${payload}`), privateKey).toString("base64url") } });
  });
  return (next) => (change = next);
}

/** A long line that has moved evenly for ten minutes: so many people are ahead of whoever came just now. */
export function longLine(ahead: number): (d: LineDocument) => void {
  return (d) => {
    const now = Math.floor(Date.now() / 1000), began = now - 1800, rank = "8000000000000000", pace = 8; // a second
    const served = 600 * pace, at = (count: number): number => began + Math.floor((1200 * count) / (ahead + served));
    const point = (age: number): LineDocument["frontiers"] => ({ ...d.frontiers, late: { second: at(Math.max(0, 600 - age) * pace), rank } });
    d.phase = "open";
    d.line.late = [{ second: began, count: 0 }, { second: began + 1200, count: ahead + served }, { second: now + 60, count: ahead + served + 40 }];
    d.frontiers = point(0);
    d.history = Array.from({ length: 20 }, (_, i) => (20 - i) * 30).map((age) => ({ time: (now - age) * 1000, paused: 0, frontiers: point(age) }));
    d.rate = { perSecond: pace, low: pace * 0.8, high: pace * 1.2 };
  };
}

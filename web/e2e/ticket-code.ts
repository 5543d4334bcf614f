import { createPublicKey, verify } from "node:crypto";
import { get } from "./fan.ts";

// Reads and checks a ticket's code as a gate would (core/ticket/code.go describes it).

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
const SIGNED = 53;

export interface Claims { kid: string; ticket: string; event: string; ordinal: number }

export function decode45(text: string): Buffer {
  const out: number[] = [];
  for (let i = 0; i < text.length; i += 3) {
    const part = [...text.slice(i, i + 3)].map((c) => ALPHABET.indexOf(c));
    const value = part.reduce((sum, digit, k) => sum + digit * 45 ** k, 0);
    if (part.length === 3) out.push(value >> 8, value & 255);
    else out.push(value);
  }
  return Buffer.from(out);
}

/** Verifies a code with the published keys. Throws when it is not a valid ticket. */
export async function readTicket(code: string, base: string): Promise<Claims> {
  if (!code.startsWith("PLT1.")) throw new Error(`not a ticket code: ${code}`);
  const raw = decode45(code.slice(5));
  const kid = raw.subarray(1, 9).toString("base64url");
  const { keys } = (await (await get(`${base}/.well-known/jwks.json`)).json()) as { keys: { kid: string; kty: string; crv: string; x: string }[] };
  const jwk = keys.find((k) => k.kid === kid);
  if (!jwk) throw new Error(`no key ${kid} among ${keys.map((k) => k.kid)}`);
  const key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: "jwk" });
  const signed = Buffer.concat([Buffer.from("plateia ticket code v1\0"), raw.subarray(0, SIGNED)]);
  if (!verify(null, signed, key, raw.subarray(SIGNED))) throw new Error("the signature does not match");
  return { kid, ticket: raw.subarray(9, 25).toString("hex"), event: raw.subarray(25, 41).toString("hex"), ordinal: raw.readUInt32BE(41) };
}

/** A signed public document: a JWS in flattened JSON form (RFC 7515, 7.2.2). */
export interface Statement { protected: string; payload: string; signature: string }

/** Public keys by kid. A kid follows from its key (RFC 7638), so that it names one key for ever. */
export type Keys = ReadonlyMap<string, string>;

interface Jwk { kty?: string; crv?: string; x?: string; kid?: string }

/** Reads a JSON Web Key Set of Ed25519 keys. */
export async function keysOf(set: { keys?: Jwk[] }): Promise<Keys> {
  const keys = new Map<string, string>();
  for (const { kty, crv, x, kid } of set.keys ?? []) {
    if (kty !== "OKP" || crv !== "Ed25519" || !x || !kid) continue;
    const canonical = JSON.stringify({ crv, kty, x });
    const thumb = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(canonical))));
    if (thumb.slice(0, 16) === kid) keys.set(kid, x);
  }
  return keys;
}

/** What opening a statement brings. signed: false when this browser cannot check Ed25519 signatures. */
export interface Opened { payload: string; signed: boolean; kid: string }

/**
 * Verifies a statement of a kind and answers its payload as text; null when it is not good. The header must be, byte for
 * byte, that of the kind: a statement never chooses how it is verified.
 */
export async function open(keys: Keys, typ: string, s: Statement): Promise<Opened | null> {
  try {
    const header = text(s.protected);
    const kid = String((JSON.parse(header) as { kid?: unknown }).kid);
    const x = keys.get(kid);
    if (!x || header !== JSON.stringify({ alg: "EdDSA", kid, typ })) return null;
    const key = await ed25519(x);
    const signature = decode(s.signature);
    if (signature.length !== 64) return null;
    if (key && !(await crypto.subtle.verify({ name: "Ed25519" }, key, signature, bytesOf(`${s.protected}.${s.payload}`)))) return null;
    return { payload: text(s.payload), signed: key !== null, kid };
  } catch {
    return null; // not base64url, not JSON
  }
}

const imported = new Map<string, Promise<CryptoKey | null>>();

/** The key, or null where the browser has no Ed25519 (before 2025 some had none). */
function ed25519(x: string): Promise<CryptoKey | null> {
  let key = imported.get(x);
  if (!key) {
    key = crypto.subtle.importKey("jwk", { kty: "OKP", crv: "Ed25519", x }, { name: "Ed25519" }, false, ["verify"]).catch(() => null);
    imported.set(x, key);
  }
  return key;
}

export const bytesOf = (t: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(t);

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

/** base64url without padding, or an error. */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text)) throw new Error("not base64url");
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

const text = (encoded: string): string => new TextDecoder("utf-8", { fatal: true }).decode(decode(encoded));

/** base64url without padding. */
export function base64url(bytes: Uint8Array): string {
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const encode = (value: unknown): string => base64url(new TextEncoder().encode(JSON.stringify(value)));

/**
 * A proof of possession (RFC 9449) for one request: an ES256 JWT over method, path and time, with the public key in
 * its header, bound to the bearer token that the request carries. now is the server's time in ms.
 */
export async function proof(keys: CryptoKeyPair, method: string, url: string, bearer: string, now: number): Promise<string> {
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", keys.publicKey);
  const header = { typ: "dpop+jwt", alg: "ES256", jwk: { kty, crv, x, y } };
  const jti = base64url(crypto.getRandomValues(new Uint8Array(16)));
  const ath = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(bearer))));
  const claims = { jti, ath, htm: method, htu: url, iat: Math.floor(now / 1000) };
  const input = `${encode(header)}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(
    { name: "ECDSA", hash: "SHA-256" }, keys.privateKey, new TextEncoder().encode(input));
  return `${input}.${base64url(new Uint8Array(signature))}`;
}

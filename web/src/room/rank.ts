// A rank is 16 hex digits: JavaScript has no 64-bit integers, and their order as text is their order as numbers.

export const FIRST_RANK = "0000000000000000";
export const LAST_RANK = "ffffffffffffffff";

/** The part of all ranks below this one, in [0, 1]. */
export const fraction = (rank: string): number => Number(BigInt(`0x${rank}`)) / 2 ** 64;

/** The part of all ranks before a frontier: the last frontier is behind everybody. */
export const share = (frontier: string): number => (frontier === LAST_RANK ? 1 : fraction(frontier));

/** The rank of an account: the first 64 bits of HMAC-SHA256(seed, "event|epoch|pseudonym"). */
export async function rankOf(seed: string, event: string, epoch: number, pseudonym: string): Promise<string> {
  const bytes = Uint8Array.from(seed.match(/../g) ?? [], (hex) => parseInt(hex, 16));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${event}|${epoch}|${pseudonym}`));
  return hexOf(new Uint8Array(mac).subarray(0, 8));
}

export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

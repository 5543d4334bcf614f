import type { Access, Session } from "../api/types.ts";
import { instant, type Read, record, shape, text } from "./fields.ts";

// How the frame gives what it needs to pay to the window that it has opened. The window is at our own origin and asks:
// "pay-ready" with a number that it has drawn; the frame answers with "hand-over" and the same number. Both are posted for
// our exact origin, so no other page is told; both are taken only from our exact origin and from the one window that they
// can come from (the opener; the window opened), so no other page can say them. A page of somebody else's that opens the
// payment window has another origin; one that goes on to a page of ours afterwards meets a page that answers only to windows
// that it has opened itself.

/** What the payment's window gets. access: to the event's seats, when the frame has it. */
export interface HandOver { session: Session; keys: CryptoKeyPair; event: string; access: Access | null; order: string }

export interface Ready { plateia: 1; type: "pay-ready"; nonce: string }

export const ready = (nonce: string): Ready => ({ plateia: 1, type: "pay-ready", nonce });

export const handOver = (nonce: string, handed: HandOver): object => ({ plateia: 1, type: "hand-over", nonce, ...handed });

const NONCE = /^[0-9a-f]{32}$/, ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const id: Read<string> = (v) => (typeof v === "string" && ID.test(v) ? v : undefined);
const TOKEN = text(8192);
const SESSION = shape<Session>({ sessionToken: TOKEN, expiresAt: instant, account: shape({ accountId: id, email: text(320) }, {}) }, {});
const ACCESS = shape<Access>({ accessToken: TOKEN, expiresAt: instant }, {});

/** The window's number, or null when this does not ask for a hand-over. */
export const readReady = (data: unknown): string | null =>
  record(data) && data.plateia === 1 && data.type === "pay-ready" && typeof data.nonce === "string" && NONCE.test(data.nonce) ? data.nonce : null;

/** The hand-over that answers this number, or null. */
export function readHandOver(data: unknown, nonce: string): HandOver | null {
  if (!record(data) || data.plateia !== 1 || data.type !== "hand-over" || data.nonce !== nonce || !NONCE.test(nonce)) return null;
  const session = SESSION(data.session), access = data.access === null ? null : ACCESS(data.access);
  const keys = readKeys(data.keys), event = id(data.event), order = id(data.order);
  if (!session || !keys || !event || !order || access === undefined) return null;
  return { session, keys, event, access, order };
}

/** A device's key pair whose private half cannot be taken out of the browser. */
function readKeys(v: unknown): CryptoKeyPair | null {
  if (!record(v)) return null;
  const { privateKey, publicKey } = v as unknown as CryptoKeyPair;
  const good = (key: unknown, type: KeyType, use: KeyUsage): boolean => key instanceof CryptoKey && key.type === type && key.usages.includes(use) &&
    key.algorithm.name === "ECDSA" && (key.algorithm as EcKeyAlgorithm).namedCurve === "P-256";
  return good(privateKey, "private", "sign") && !privateKey.extractable && good(publicKey, "public", "verify") ? { privateKey, publicKey } : null;
}

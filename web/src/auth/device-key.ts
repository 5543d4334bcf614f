const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

let keys: Promise<CryptoKeyPair> | null = null;

/**
 * This browser's key pair, made once. The private key cannot be exported; IndexedDB keeps it over reloads, and where
 * IndexedDB is closed to us (private mode, frames) it lives as long as the page.
 */
export function deviceKey(): Promise<CryptoKeyPair> {
  keys ??= load();
  return keys;
}

/** Keeps this pair, which a frame of ours has used elsewhere, as this browser's; one that is there stays, because places in lines are bound to it. */
export async function adoptKey(pair: CryptoKeyPair): Promise<void> {
  const db = await open().catch(() => null);
  await (db && request(db, "readwrite", (s) => s.add(pair, "device")).catch(() => undefined));
  db?.close();
}

async function load(): Promise<CryptoKeyPair> {
  const db = await open().catch(() => null);
  if (!db) return generate();
  try {
    const kept = await request<CryptoKeyPair | undefined>(db, "readonly", (s) => s.get("device"));
    if (kept) return kept;
    const fresh = await generate();
    // add, not put: of two tabs that start together the first keeps its key, and the other one reads it
    await request(db, "readwrite", (s) => s.add(fresh, "device")).catch(() => undefined);
    return (await request<CryptoKeyPair | undefined>(db, "readonly", (s) => s.get("device"))) ?? fresh;
  } catch {
    return generate();
  } finally {
    db.close();
  }
}

const generate = (): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]) as Promise<CryptoKeyPair>;

/** In a frame some browsers never answer. */
const PATIENCE = 3000; // ms

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("IndexedDB does not answer")), PATIENCE);
    const opening = indexedDB.open("plateia", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = opening.onblocked = () => reject(opening.error);
  });
}

function request<T>(db: IDBDatabase, mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    const asked = ask(db.transaction("keys", mode).objectStore("keys"));
    asked.onsuccess = () => resolve(asked.result as T);
    asked.onerror = () => reject(asked.error);
  });
}

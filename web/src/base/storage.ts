/** What the pages need of a key-value store; every browser storage may throw (private mode, frames, full disk). */
export interface Store {
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
}

type Backing = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** A store that uses the browser's when it works and memory when it does not: a page then still works until it is closed. */
export function safeStore(open: () => Backing): Store {
  const memory = new Map<string, string>();
  const attempt = <T>(use: (s: Backing) => T): T | undefined => {
    try {
      return use(open());
    } catch {
      return undefined;
    }
  };
  return {
    get: (key) => memory.get(key) ?? attempt((s) => s.getItem(key)) ?? null,
    set: (key, value) => {
      const kept = attempt((s) => (s.setItem(key, value), true));
      if (kept) memory.delete(key);
      else memory.set(key, value);
    },
    remove: (key) => {
      memory.delete(key);
      attempt((s) => s.removeItem(key));
    },
  };
}

/** Survives the browser's restart: the account session. */
export const lasting = safeStore(() => window.localStorage);

/** Survives a reload of this tab: access and queue tokens. */
export const tabbed = safeStore(() => window.sessionStorage);

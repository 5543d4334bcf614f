export type Timer = ReturnType<typeof setTimeout>;

export type Fetcher = (url: string, init: RequestInit) => Promise<Response>;

/** What a connection needs of the browser; tests give their own. */
export interface Surroundings {
  socket(url: string, protocol: string): WebSocket;
  fetch: Fetcher;
  setTimeout(then: () => void, ms: number): Timer;
  clearTimeout(timer: Timer): void;
  random(): number; // 0 to 1
  now(): number; // ms, goes on while the device sleeps
  hidden(): boolean;
  /** The page was left, and may come back as it was: by the back button. */
  away(): boolean;
  online(): boolean;
  /** Calls back when hidden, away or online may have changed; returns how to stop. */
  watch(changed: () => void): () => void;
}

export function browserSurroundings(): Surroundings {
  let away = false;
  return {
    socket: (url, protocol) => new WebSocket(absolute(url), protocol),
    fetch: (url, init) => fetch(url, init),
    setTimeout: (then, ms) => setTimeout(then, ms),
    clearTimeout: (timer) => clearTimeout(timer),
    random: Math.random,
    now: Date.now,
    hidden: () => document.hidden || away,
    away: () => away,
    online: () => navigator.onLine,
    watch(changed) {
      const names = ["online", "offline", "pageshow", "pagehide"] as const;
      const heard = (e: Event): void => {
        if (e.type === "pagehide" || e.type === "pageshow") away = e.type === "pagehide";
        changed();
      };
      names.forEach((n) => window.addEventListener(n, heard));
      document.addEventListener("visibilitychange", heard);
      return () => {
        names.forEach((n) => window.removeEventListener(n, heard));
        document.removeEventListener("visibilitychange", heard);
      };
    },
  };
}

/** A path becomes a WebSocket address of the page's own origin. */
function absolute(url: string): string {
  const u = new URL(url, location.href);
  u.protocol = u.protocol.replace(/^http/, "ws");
  return u.href;
}

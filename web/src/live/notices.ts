/** A notice as pages understand it (realtime/wire/doc.go, Notices): a nudge to look, never the truth. */
export type News =
  | { about: "event"; state: string }
  | { about: "prices" }
  | { about: "hold"; id: string; state: string; expiresAt: number }
  | { about: "order"; id: string; state: string };

/** Reads notices in whatever order they come. */
export class NoticeReader {
  readonly #versions = new Map<string, number>();

  /** null: old news, or a kind or form that this page does not know. */
  read(kind: number, body: unknown): News | null {
    const b = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
    switch (kind) {
      case 1: return typeof b.state === "string" ? { about: "event", state: b.state } : null;
      case 2: return { about: "prices" };
      case 3: return this.#own("hold", b.holdId, b.state, b);
      case 4: return this.#own("order", b.orderId, b.status, b);
      default: return null;
    }
  }

  #own(about: "hold" | "order", id: unknown, state: unknown, b: Record<string, unknown>): News | null {
    if (typeof id !== "string" || typeof state !== "string") return null;
    const version = typeof b.version === "number" ? b.version : Infinity;
    if (version < (this.#versions.get(id) ?? 0)) return null;
    if (version !== Infinity) this.#versions.set(id, version);
    if (about === "order") return { about, id, state };
    return { about, id, state, expiresAt: typeof b.expiresAt === "string" ? Date.parse(b.expiresAt) : NaN };
  }
}

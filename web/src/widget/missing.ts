/** Why there is nothing to show. */
export type Trouble = "EVENT" | "UNKNOWN_EVENT" | "NOT_ALLOWED" | "POLICY" | "UNREACHABLE" | "BUSY" | "BLOCKED" | "FRAME";

/** Something that was asked for and did not come: in short, trouble.ts has the sentences. */
export class Missing extends Error {
  readonly code: Trouble;

  constructor(code: Trouble, detail: string) {
    super(detail);
    this.code = code;
  }

  /** Asking once more may help. */
  get again(): boolean {
    return /^(UNR|B|F)/.test(this.code);
  }
}

/** Why there is nothing to show. */
export type Trouble = "EVENT" | "UNKNOWN_EVENT" | "NOT_ALLOWED" | "POLICY" | "UNREACHABLE" | "BUSY" | "BLOCKED" | "FRAME";

/** Something that was asked for and did not come. again: asking once more may help. */
export class Missing extends Error {
  readonly code: Trouble;
  readonly again: boolean;

  constructor(code: Trouble, detail: string) {
    super(detail);
    this.code = code;
    this.again = code === "UNREACHABLE" || code === "BUSY" || code === "BLOCKED" || code === "FRAME";
  }
}

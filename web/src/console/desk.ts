/** A desk of the console: what is looked at together. */
export interface Desk {
  readonly element: HTMLElement;
  /** Milliseconds between two looks. */
  readonly every: number;
  /** Reads everything anew. A Problem is said above the desk, and what was read before stays. */
  refresh(): Promise<void>;
}

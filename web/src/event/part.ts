/** A piece of the panel that follows something else until it is stopped. */
export interface Part {
  element: HTMLElement;
  stop(): void;
}

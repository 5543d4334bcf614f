/** What the hands on the map mean, in CSS pixels relative to the map. */
export interface Intents {
  pan(dx: number, dy: number): void;
  zoom(x: number, y: number, factor: number): void;
  tap(x: number, y: number): void;
  doubleTap(x: number, y: number): void;
  /** The mouse is over the map; null: it has left, or presses and moves. */
  hover(at: { x: number; y: number } | null): void;
  /** A finger has scrolled the page that the map is in: there two move the map. */
  passed(): void;
  /** A movement has ended: time to sharpen. */
  rest(): void;
}

const SLOP = 6; // pixels a finger may tremble during a tap
const DOUBLE = 300; // ms between the taps of a double tap

interface Finger { x: number; y: number }

/** Listens to pointers and the wheel on an element. Call the answer to stop. */
export function listen(element: HTMLElement, intents: Intents): () => void {
  const fingers = new Map<number, Finger>();
  let start: Finger | null = null; // of a press that may still become a tap
  let last = { at: -Infinity, x: 0, y: 0 };
  let shared = false; // by its style, the page takes a finger that goes up or down over the map
  const off = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(type: K, run: (e: HTMLElementEventMap[K]) => void): void =>
    element.addEventListener(type, run, { signal: off.signal, passive: false });
  const place = (e: MouseEvent): Finger => {
    const box = element.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };

  on("pointerdown", (e) => {
    if (e.button !== 0 || (e.target as Element).closest("button")) return;
    const at = place(e);
    fingers.set(e.pointerId, at);
    start = fingers.size === 1 ? at : null;
    shared = getComputedStyle(element).touchAction !== "none";
    element.setPointerCapture(e.pointerId);
  });

  on("pointermove", (e) => {
    const at = place(e), before = fingers.get(e.pointerId);
    if (!before) {
      if (e.pointerType === "mouse") intents.hover(at);
      return;
    }
    if (start && Math.hypot(at.x - start.x, at.y - start.y) < SLOP) return;
    if (start && shared && e.pointerType === "touch" && Math.abs(at.y - start.y) > Math.abs(at.x - start.x)) return; // it is about to be cancelled
    if (start) intents.hover(null);
    start = null;
    const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1];
    fingers.set(e.pointerId, at);
    if (!other) return intents.pan(at.x - before.x, at.y - before.y);
    const spread = Math.hypot(at.x - other.x, at.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
    intents.pan((at.x - before.x) / 2, (at.y - before.y) / 2);
    intents.zoom((at.x + other.x) / 2, (at.y + other.y) / 2, spread);
  });

  const up = (e: PointerEvent): void => {
    if (!fingers.delete(e.pointerId)) return;
    if (e.type === "pointerup" && start && fingers.size === 0) {
      const { x, y } = start;
      const double = e.timeStamp - last.at < DOUBLE && Math.hypot(x - last.x, y - last.y) < 24;
      last = { at: double ? -Infinity : e.timeStamp, x, y };
      if (double) intents.doubleTap(x, y);
      else intents.tap(x, y);
    }
    if (start && e.type === "pointercancel" && shared) intents.passed();
    start = null;
    if (fingers.size === 0) intents.rest();
  };
  on("touchmove", (e) => {
    if (e.touches.length > 1 && e.cancelable) e.preventDefault(); // two fingers are for the map, wherever they go
  });
  on("pointerup", up);
  on("pointercancel", up);
  on("pointerleave", (e) => e.pointerType === "mouse" && fingers.size === 0 && intents.hover(null)); // a finger's comes with every lift

  let resting: ReturnType<typeof setTimeout>;
  on("wheel", (e) => {
    e.preventDefault();
    const at = place(e);
    const lines = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
    // a trackpad's pinch comes as a wheel with ctrlKey and small deltas
    const strength = e.ctrlKey ? 0.01 : 0.0022;
    intents.zoom(at.x, at.y, Math.exp(-Math.max(-240, Math.min(240, e.deltaY * lines)) * strength));
    clearTimeout(resting);
    resting = setTimeout(() => intents.rest(), 140);
  });
  return () => {
    clearTimeout(resting);
    off.abort();
  };
}

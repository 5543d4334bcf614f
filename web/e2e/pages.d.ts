// What the measuring page (e2e/map-speed-page.ts) offers to its test.
interface Window {
  goTo(scene: "far" | "dense" | "near"): Promise<void>;
  measure(frames: number): Promise<number[]>;
  yardstick(): number;
}

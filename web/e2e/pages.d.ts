// What the measuring page (e2e/map-speed-page.ts) offers to its test.
interface Window {
  measure(scene: "far" | "dense" | "near", frames: number): Promise<number[]>;
}

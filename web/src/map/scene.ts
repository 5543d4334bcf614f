import type { SeatBook } from "./book.ts";
import type { Camera, Size } from "./camera.ts";
import type { Detail } from "./lod.ts";
import type { Theme } from "./theme.ts";

/** Everything a layer needs to know to draw a frame. */
export interface Scene {
  /** Canvas pixels per CSS pixel. */
  ratio: number;
  camera: Camera;
  view: Size;
  detail: Detail;
  book: SeatBook;
  theme: Theme;
}

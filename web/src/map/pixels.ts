/** A picture of a canvas's size that is written pixel by pixel: what thousands of draw calls would cost is one copy. */
export class Pixels {
  image = new ImageData(1, 1);
  words = new Uint32Array(this.image.data.buffer);

  /** An empty picture of the canvas's size. */
  clear({ width, height }: HTMLCanvasElement): void {
    if (this.image.width === width && this.image.height === height) {
      this.words.fill(0);
      return;
    }
    this.image = new ImageData(width, height);
    this.words = new Uint32Array(this.image.data.buffer);
  }
}

// Bounds-checked reading of the geometry's primitive values.

// GeometryError says that the bytes are not a geometry this page can read.
export class GeometryError extends Error {
  constructor(what: string, at: number) {
    super(`chart geometry: ${what} at byte ${at}`);
    this.name = "GeometryError";
  }
}

const MAX = 2 ** 31;

export class ByteReader {
  private readonly view: DataView;
  private readonly bytes: Uint8Array;
  private readonly decoder = new TextDecoder("utf-8", { fatal: true });
  private at = 0;

  constructor(buffer: ArrayBuffer) {
    this.view = new DataView(buffer);
    this.bytes = new Uint8Array(buffer);
  }

  get length(): number {
    return this.view.byteLength;
  }

  get ended(): boolean {
    return this.at === this.length;
  }

  must(fine: boolean, what: string): void {
    if (!fine) throw new GeometryError(what, this.at);
  }

  f32(): number {
    this.must(this.at + 4 <= this.view.byteLength, "cut short");
    const value = this.view.getFloat32(this.at, true);
    this.at += 4;
    this.must(Number.isFinite(value), "a number that is not finite");
    return value;
  }

  // u reads an unsigned varint below limit.
  u(limit: number, what = "a number out of range"): number {
    const first = this.bytes[this.at]; // nearly all are one byte
    if (first < 128 && first < limit) return this.at++, first;
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      this.must(this.at < this.view.byteLength, "cut short");
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      this.must(value < MAX && scale < MAX, "a number out of range");
      if (byte < 128) break;
    }
    this.must(value < limit, what);
    return value;
  }

  s(): number {
    const value = this.u(MAX);
    return (value >>> 1) ^ -(value & 1);
  }

  // text reads a length and as many bytes of UTF-8.
  text(longest: number): string {
    const length = this.u(longest + 1, "too long a text");
    this.must(this.at + length <= this.length, "cut short");
    const bytes = new Uint8Array(this.view.buffer, this.at, length);
    this.at += length;
    try {
      return this.decoder.decode(bytes);
    } catch {
      throw new GeometryError("text that is not UTF-8", this.at);
    }
  }
}

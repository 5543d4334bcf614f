// Bounds-checked reading of the geometry's primitive values.

// GeometryError says that the bytes are not a geometry this page can read.
export class GeometryError extends Error {
  constructor(what: string, at: number) {
    super(`chart geometry: ${what} at byte ${at}`);
    this.name = "GeometryError";
  }
}

const MAX = 2 ** 31;

// What is wrong is said in words, which build-embed.mjs leaves out of the widget: there the place has to do.
export class ByteReader {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(buffer: ArrayBuffer) {
    this.#view = new DataView(buffer);
    this.#bytes = new Uint8Array(buffer);
  }

  get length(): number {
    return this.#view.byteLength;
  }

  get ended(): boolean {
    return this.#at === this.length;
  }

  must(fine: boolean, what = "malformed"): void {
    if (!fine) throw new GeometryError(what, this.#at);
  }

  #take(bytes: number): number {
    this.must((this.#at += bytes) <= this.length, "cut short");
    return this.#at - bytes;
  }

  f32(): number {
    const value = this.#view.getFloat32(this.#take(4), true);
    this.must(Number.isFinite(value), "a number that is not finite");
    return value;
  }

  // u reads an unsigned varint below limit.
  u(limit: number, what = "a number out of range"): number {
    const first = this.#bytes[this.#at]; // nearly all are one byte
    if (first < 128 && first < limit) return this.#at++, first;
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#take(1)];
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
    const length = this.u(longest + 1, "too long a text"), from = this.#take(length);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(this.#view.buffer, from, length));
    } catch {
      throw new GeometryError("text that is not UTF-8", this.#at);
    }
  }
}

// Reads a chart's binary geometry, version 1. core/seatmap/doc.go describes the
// form; core/seatmap/testdata has the vectors that both sides are tested with.
import { ByteReader } from "./geometry-bytes.ts";
import { centroid } from "./geometry-chart.ts";
import type { Category, Chart, Row, ShapeRole } from "./geometry-chart.ts";

export { GeometryError } from "./geometry-bytes.ts";
export { ACCESSIBLE, COMPANION, rowLabelPoint } from "./geometry-chart.ts";
export type { Category, Chart, Row, Section, Shape, ShapeRole } from "./geometry-chart.ts";

const ROLES: ShapeRole[] = ["stage", "pitch", "area", "line", "text"];
const LIMIT = { seats: 200_000, sections: 4_096, rows: 60_000, categories: 64, shapes: 1_000, points: 2_000, text: 100 };
const ROW = { pieces: 1, firstStep: 2, explicit: 4, categories: 8 };
const MAX = 2 ** 31;
const MAGIC = [0x50, 0x4c, 0x47, 1]; // "PLG" and the version

// How a row numbers its seats: first + i*step, or a list.
type Numbering = { first: number; step: number } | string[];

// decodeGeometry throws a GeometryError for anything malformed.
export function decodeGeometry(buffer: ArrayBuffer): Chart {
  const reader = new Reader(buffer);
  reader.header();
  return reader.seats();
}

// openGeometry reads what a venue looks like from afar: all but its rows and seats, of which there are as many as there will be,
// but empty, until seats() reads them (once). Both throw a GeometryError for what is malformed in their part.
export function openGeometry(buffer: ArrayBuffer): { chart: Chart; seats(): void } {
  const reader = new Reader(buffer);
  return { chart: reader.header(), seats: () => void reader.seats() };
}

class Reader extends ByteReader {
  #unit = 1;
  #originX = 0;
  #originY = 0;
  #strings: string[] = [];
  #numbering: Numbering[] = [];
  #next = 0; // ordinal
  #firstX = 0; // of the piece before
  #firstY = 0;
  #chordX = 0;
  #chordY = 0;
  #bendX = 0;
  #bendY = 0;
  #out!: Chart;

  seats(): Chart {
    const out = this.#out;
    for (const section of out.sections) {
      section.from = this.#next;
      for (let r = section.rowFrom; r < section.rowTo; r++) this.#row(out.rows[r], r);
      section.to = this.#next;
    }
    this.must(this.#next === out.seats, "too few seats");
    this.#specials();
    this.must(this.ended, "bytes after the end");
    return out;
  }

  #ref(): string {
    return this.#strings[this.u(this.#strings.length, "an unknown string")];
  }

  #opt(): string {
    const index = this.u(this.#strings.length + 1, "an unknown string");
    return index === 0 ? "" : this.#strings[index - 1];
  }

  #toX(steps: number): number {
    return this.#originX + steps * this.#unit;
  }

  #toY(steps: number): number {
    return this.#originY + steps * this.#unit;
  }

  #place(): { x: number; y: number } {
    const x = Math.fround(this.#toX(this.s()));
    return { x, y: Math.fround(this.#toY(this.s())) };
  }

  #points(): Float32Array {
    const points = new Float32Array(2 * this.u(LIMIT.points + 1, "too many points"));
    for (let i = 0, x = 0, y = 0; i < points.length; i += 2) {
      points[i] = this.#toX((x += this.s()));
      points[i + 1] = this.#toY((y += this.s()));
    }
    return points;
  }

  header(): Chart {
    for (const byte of MAGIC) this.must(this.u(128) === byte, "not a geometry of version 1");
    this.#unit = this.f32();
    this.#originX = this.f32();
    this.#originY = this.f32();
    const pitch = this.f32();
    this.must(this.#unit > 0 && pitch > 0, "a scale that is not positive");
    const seats = this.u(LIMIT.seats + 1, "too many seats");
    const sections = this.u(LIMIT.sections + 1, "too many sections");
    const rows = this.u(LIMIT.rows + 1, "too many rows");
    const categories = this.u(LIMIT.categories + 1, "too many categories");
    const shapes = this.u(LIMIT.shapes + 1, "too many shapes");
    this.#readStrings();
    const list: Category[] = [];
    for (let i = 0; i < categories; i++) list.push({ key: this.#ref(), name: this.#ref(), color: this.#ref() });
    const focal = this.#place();
    const low = this.#place();
    const high = this.#place();
    this.#out = {
      seats, pitch, focal, bounds: { x0: low.x, y0: low.y, x1: high.x, y1: high.y },
      x: new Float32Array(seats), y: new Float32Array(seats),
      section: new Uint16Array(seats), row: new Uint16Array(seats),
      category: new Uint8Array(seats), flags: new Uint8Array(seats),
      sections: [], rows: [], categories: list, shapes: [],
      number: (o) => this.#numberOf(o), label: (o) => this.#labelOf(o),
    };
    for (let i = 0; i < sections; i++) this.#section(i, rows);
    this.must(this.#out.rows.length === rows, "too few rows");
    for (let i = 0; i < shapes; i++) {
      const role = ROLES[this.u(ROLES.length, "an unknown shape")];
      this.#out.shapes.push({ role, label: this.#opt(), color: this.#opt(), points: this.#points() });
    }
    return this.#out;
  }

  #readStrings(): void {
    const count = this.u(this.length, "too many strings");
    for (let i = 0; i < count; i++) this.#strings.push(this.text(LIMIT.text));
  }

  #section(index: number, rows: number): void {
    const { sections, rows: list, categories } = this.#out;
    const label = this.#ref();
    const name = this.#ref();
    const general = this.u(2) === 1;
    const category = this.u(categories.length, "an unknown category");
    const outline = this.#points();
    const rowFrom = list.length;
    const count = this.u(rows - rowFrom + 1, "too many rows");
    for (let i = 0; i < count; i++) list.push({ label: "", section: index, from: 0, to: 0 });
    const centre = centroid(outline);
    sections.push({ label, name, from: 0, to: 0, rowFrom, rowTo: rowFrom + count, outline, centre, category, general });
  }

  #row(row: Row, index: number): void {
    const section = this.#out.sections[row.section];
    row.label = this.#ref();
    row.from = this.#next;
    const flags = this.u(16, "an unknown kind of row");
    const pieces = flags & ROW.pieces ? this.u(LIMIT.seats) : 1;
    let numbering: Numbering = flags & ROW.firstStep ? { first: this.u(MAX), step: this.s() } : { first: 1, step: 1 };
    if (section.general) {
      const { x, y } = section.centre;
      for (let n = this.u(LIMIT.seats + 1, "too many seats"); n > 0; n--) this.#seat(x, y);
    } else {
      for (let i = 0; i < pieces; i++) this.#piece();
    }
    row.to = this.#next;
    if (flags & ROW.explicit) {
      numbering = [];
      for (let o = row.from; o < row.to; o++) numbering.push(this.#ref());
    }
    this.#numbering.push(numbering);
    const { section: sections, row: rows, category } = this.#out;
    sections.fill(row.section, row.from, row.to);
    rows.fill(index, row.from, row.to);
    category.fill(section.category, row.from, row.to);
    if (flags & ROW.categories) this.#categories(row);
  }

  #categories(row: Row): void {
    for (let o = row.from; o < row.to; ) {
      const count = this.u(row.to - o + 1, "categories of too many seats");
      this.must(count > 0, "categories of no seats");
      this.#out.category.fill(this.u(this.#out.categories.length, "an unknown category"), o, o + count);
      o += count;
    }
  }

  #seat(x: number, y: number): void {
    this.must(this.#next < this.#out.seats, "too many seats");
    this.#out.x[this.#next] = x;
    this.#out.y[this.#next++] = y;
  }

  #piece(): void {
    const head = this.u(2 * LIMIT.seats + 2, "too many seats");
    const count = head >>> 1;
    this.must(count > 0, "a piece without seats");
    this.must(this.#next + count <= this.#out.seats, "too many seats");
    this.#firstX += this.s();
    this.#firstY += this.s();
    if (head & 1) this.#steps(count);
    else this.#curve(count);
  }

  #steps(count: number): void {
    let x = this.#firstX;
    let y = this.#firstY;
    this.#seat(this.#toX(x), this.#toY(y));
    for (let i = 1; i < count; i++) {
      x += this.s();
      y += this.s();
      this.#seat(this.#toX(x), this.#toY(y));
    }
  }

  #curve(count: number): void {
    if (count > 1) {
      this.#chordX += this.s();
      this.#chordY += this.s();
    }
    if (count > 2) {
      this.#bendX += this.s();
      this.#bendY += this.s();
    }
    const firstX = this.#firstX, firstY = this.#firstY, chordX = this.#chordX, chordY = this.#chordY, { x, y } = this.#out;
    const originX = this.#originX, originY = this.#originY, unit = this.#unit, next = this.#next;
    const bx = this.#bendX + Math.floor(chordX / 2) - chordX / 2;
    const by = this.#bendY + Math.floor(chordY / 2) - chordY / 2;
    for (let i = 0; i < count; i++) { // most seats are here, and the first chart of a page is read before any of this is compiled
      const t = count === 1 ? 0 : i / (count - 1);
      const k = 4 * t * (1 - t);
      x[next + i] = originX + (firstX + chordX * t + k * bx) * unit;
      y[next + i] = originY + (firstY + chordY * t + k * by) * unit;
    }
    this.#next += count;
  }

  #specials(): void {
    const { seats, flags } = this.#out;
    let o = 0;
    for (let n = this.u(seats + 1, "flags of too many seats"); n > 0; n--) {
      const value = this.u(MAX);
      o += value >>> 2;
      this.must(o < seats, "flags of an unknown seat");
      flags[o] = value & 3;
    }
  }

  #numberOf(o: number): string {
    const index = this.#out.row[o];
    const row = index === undefined ? undefined : this.#out.rows[index];
    if (!row) throw new RangeError(`no seat ${o}`);
    const numbering = this.#numbering[index];
    if (Array.isArray(numbering)) return numbering[o - row.from];
    return String(numbering.first + (o - row.from) * numbering.step);
  }

  #labelOf(o: number): string {
    const number = this.#numberOf(o);
    const row = this.#out.rows[this.#out.row[o]];
    return `${this.#out.sections[row.section].label}-${row.label}-${number}`;
  }
}

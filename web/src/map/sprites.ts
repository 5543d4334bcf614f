import { icons } from "../base/dom.ts";
import { LOOK, type Look } from "./book.ts";
import type { Pixels } from "./pixels.ts";
import { categoryColour, CATEGORY_COLOURS, css, mix, pen, readable, type Rgb, type Theme } from "./theme.ts";

const LOOKS = 7;

const SMALL = 14; // device pixels of radius; so small, seats are many, and quicker copied pixel by pixel than drawn one by one
const OPAQUE_ENOUGH = 0x07ffffff; // pixels below that are as good as empty; the highest byte is the alpha
const FAINT = CATEGORY_COLOURS; // the column of categories that are filtered out

/**
 * Seats as little pictures, drawn once per size and theme and then copied. Shape carries the status (disc free, lower
 * half held, dot sold, dash blocked, ring with tick chosen, disc with tick mine); hue only the price.
 */
export class Sprites {
  readonly size: number; // of a cell, device pixels
  readonly sheet: HTMLCanvasElement;
  /** Whether seats are better stamped than drawn. */
  readonly small: boolean;
  readonly #radius: number;
  readonly #theme: Theme;
  readonly #glyphs = new Map<string, HTMLCanvasElement>();
  readonly #wide: number; // of the sheet, pixels
  #words: Uint32Array | null = null;

  /** radius in device pixels. */
  constructor(radius: number, theme: Theme) {
    this.#radius = radius;
    this.#theme = theme;
    this.small = radius <= SMALL;
    this.size = Math.ceil(radius * 2.3) + 2;
    this.sheet = document.createElement("canvas");
    this.sheet.width = this.#wide = this.size * (CATEGORY_COLOURS + 1);
    this.sheet.height = this.size * LOOKS * 2;
    const ctx = this.sheet.getContext("2d", { willReadFrequently: this.small })!;
    for (let column = 0; column <= FAINT; column++) {
      for (let row = 0; row < LOOKS * 2; row++) this.#paint(ctx, column, row);
    }
  }

  /** The sheet's column of a category. */
  static column(category: number, shown: boolean): number {
    return shown ? category % CATEGORY_COLOURS : FAINT;
  }

  /** The sheet's row of a look. */
  static row(look: Look, accessible: boolean): number {
    return look + (accessible ? LOOKS : 0);
  }

  /** Writes a cell's visible pixels into a picture, its top left corner at (x, y); what lies outside is left out. */
  stamp(column: number, row: number, { image, words }: Pixels, x: number, y: number): void {
    const { size } = this, wide = this.#wide, { width, height } = image;
    const from = (this.#words ??= this.#read());
    const x0 = Math.max(0, -x), x1 = Math.min(size, width - x), y1 = Math.min(size, height - y);
    for (let line = Math.max(0, -y); line < y1; line++) {
      const source = (row * size + line) * wide + column * size, target = (y + line) * width + x;
      for (let p = x0; p < x1; p++) {
        const word = from[source + p];
        if (word > OPAQUE_ENOUGH) words[target + p] = word;
      }
    }
  }

  #read(): Uint32Array {
    const { width, height } = this.sheet;
    return new Uint32Array(this.sheet.getContext("2d")!.getImageData(0, 0, width, height).data.buffer);
  }

  /** The number of a free seat, ready to be copied onto its disc. */
  glyph(text: string, category: number): HTMLCanvasElement {
    const ground = categoryColour(this.#theme, category);
    const colour = readable(ground, this.#theme.paper, this.#theme.ink);
    const key = `${text}|${colour.join()}`;
    let glyph = this.#glyphs.get(key);
    if (!glyph) {
      if (this.#glyphs.size > 2000) this.#glyphs.clear();
      this.#glyphs.set(key, (glyph = this.#paintGlyph(text, colour)));
    }
    return glyph;
  }

  /** The sign on a free wheelchair place; category -1: on one that is kept. */
  wheelchair(category: number): HTMLCanvasElement {
    const t = this.#theme, colour = category < 0 ? t.held : readable(categoryColour(t, category), t.paper, t.ink);
    const key = `wheelchair|${colour.join()}`;
    let glyph = this.#glyphs.get(key);
    if (!glyph) {
      const ctx = this.#blank(), k = (this.#radius * 1.55) / 24;
      ctx.setTransform(k, 0, 0, k, this.size / 2 - 12 * k, this.size / 2 - 12 * k);
      ctx.strokeStyle = css(colour);
      ctx.lineWidth = 2.4;
      ctx.lineCap = ctx.lineJoin = "round";
      ctx.stroke(new Path2D(icons.wheelchair));
      this.#glyphs.set(key, (glyph = ctx.canvas));
    }
    return glyph;
  }

  #blank(): CanvasRenderingContext2D {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = this.size;
    return canvas.getContext("2d")!;
  }

  #paintGlyph(text: string, colour: Rgb): HTMLCanvasElement {
    const ctx = this.#blank();
    const size = Math.min(this.#radius * 1.12, (this.#radius * 2.7) / Math.max(1, text.length));
    pen(ctx, colour, `600 ${size}px ${this.#theme.font}`);
    ctx.fillText(text, this.size / 2, this.size / 2 + size * 0.06);
    return ctx.canvas;
  }

  #paint(ctx: CanvasRenderingContext2D, column: number, row: number): void {
    const look = (row % LOOKS) as Look, accessible = row >= LOOKS;
    const t = this.#theme, r = this.#radius;
    const category = column === FAINT ? mix(t.paper, t.quiet, 0.7) : categoryColour(t, column);
    ctx.setTransform(1, 0, 0, 1, (column + 0.5) * this.size, (row + 0.5) * this.size);
    if (look === LOOK.free) disc(ctx, r, category, accessible);
    else if (look === LOOK.held) half(ctx, r, t.held);
    else if (look === LOOK.sold) dot(ctx, r * 0.42, t.sold);
    else if (look === LOOK.blocked) dash(ctx, r, t.sold);
    else if (look === LOOK.chosen) {
      disc(ctx, r, t.ring, accessible);
      disc(ctx, r * 0.8, t.paper, accessible);
      tick(ctx, r * 0.72, t.ink);
    } else if (look === LOOK.mine) {
      disc(ctx, r, t.ink, accessible);
      tick(ctx, r * 0.78, t.paperInk);
    } else {
      ctx.setLineDash([r * 0.5, r * 0.35]);
      ring(ctx, r * 0.9, t.ink, Math.max(1, r * 0.16));
      ctx.setLineDash([]);
    }
  }
}

/** A disc, or for wheelchair places a rounded square. */
function disc(ctx: CanvasRenderingContext2D, r: number, colour: Rgb, square: boolean): void {
  ctx.fillStyle = css(colour);
  ctx.beginPath();
  if (square) ctx.roundRect(-r * 0.94, -r * 0.94, r * 1.88, r * 1.88, r * 0.3);
  else ctx.arc(0, 0, r, 0, 2 * Math.PI);
  ctx.fill();
}

function ring(ctx: CanvasRenderingContext2D, r: number, colour: Rgb, width: number): void {
  ctx.strokeStyle = css(colour);
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.arc(0, 0, r, 0, 2 * Math.PI);
  ctx.stroke();
}

function half(ctx: CanvasRenderingContext2D, r: number, colour: Rgb): void {
  ring(ctx, r * 0.86, colour, Math.max(1, r * 0.18));
  ctx.fillStyle = css(colour);
  ctx.beginPath();
  ctx.arc(0, 0, r * 0.9, 0, Math.PI);
  ctx.fill();
}

function dot(ctx: CanvasRenderingContext2D, r: number, colour: Rgb): void {
  ctx.fillStyle = css(colour);
  ctx.beginPath();
  ctx.arc(0, 0, Math.max(1, r), 0, 2 * Math.PI);
  ctx.fill();
}

function dash(ctx: CanvasRenderingContext2D, r: number, colour: Rgb): void {
  ctx.fillStyle = css(colour);
  ctx.fillRect(-r * 0.5, -Math.max(0.5, r * 0.1), r, Math.max(1, r * 0.2));
}

function tick(ctx: CanvasRenderingContext2D, r: number, colour: Rgb): void {
  ctx.strokeStyle = css(colour);
  ctx.lineWidth = Math.max(1.5, r * 0.34);
  ctx.lineCap = ctx.lineJoin = "round";
  ctx.beginPath();
  ctx.moveTo(-r * 0.55, r * 0.02);
  ctx.lineTo(-r * 0.12, r * 0.48);
  ctx.lineTo(r * 0.6, -r * 0.42);
  ctx.stroke();
}

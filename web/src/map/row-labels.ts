// The labels of rows: where they have room is computed once per chart, in chart units.
import { type Box, toScreenX, toScreenY } from "./camera.ts";
import type { ChartIndex } from "./chart.ts";
import { rowLabelPoint } from "./geometry-chart.ts";
import { rowsInView } from "./rows-in-view.ts";
import type { Scene } from "./scene.ts";
import { mix, pen } from "./theme.ts";

/** Draws a section's row labels. They help to find one's way, so they may come after the seats. */
export class RowLabels {
  readonly #index: ChartIndex;
  #ends: Uint8Array | null = null; // at which ends rows have their labels

  constructor(index: ChartIndex) {
    this.#index = index;
  }

  draw(ctx: CanvasRenderingContext2D, { camera, view, theme }: Scene, s: number): void {
    const { chart, pitch } = this.#index;
    const ends = (this.#ends ??= rowLabelEnds(this.#index));
    const { rowFrom, rowTo } = chart.sections[s];
    pen(ctx, mix(theme.paper, theme.ink, 0.72), `600 ${Math.min(13, Math.max(9, pitch * camera.scale * 0.5))}px ${theme.font}`);
    for (let r = rowFrom; r < rowTo; r++) {
      const { label } = chart.rows[r];
      for (const end of [0, 1] as const) {
        if ((ends[r] & (end === 0 ? FIRST_END : LAST_END)) === 0) continue;
        const at = rowLabelPoint(chart, r, end);
        const x = toScreenX(camera, view, at.x), y = toScreenY(camera, view, at.y);
        if (x > -20 && x < view.w + 20 && y > -20 && y < view.h + 20) ctx.fillText(label, x, y);
      }
    }
  }
}

export const FIRST_END = 1, LAST_END = 2;

const LETTER = 0.34, HALF_LINE = 0.36; // of a row label's size: half the width of a letter, half the height of a capital
const SIZE = 0.9; // of a row label, in distances of neighbours, where it is largest against its seats
const SEAT = 0.45; // a seat's radius in distances of neighbours

/**
 * At which ends each row's label is drawn (FIRST_END, LAST_END, both or 0): away from seats and from labels that are
 * already there. Every row gets its first label before any gets a second one.
 */
export function rowLabelEnds(index: ChartIndex): Uint8Array {
  const { chart, pitch } = index;
  const out = new Uint8Array(chart.rows.length);
  const placed = new Boxes(pitch * 4);
  const box = (r: number, end: 0 | 1): Box => labelBox(index, r, end);
  const place = (r: number, end: 0 | 1): boolean => {
    const b = box(r, end);
    if (placed.hits(b) || onSeats(index, b)) return false;
    placed.add(b);
    out[r] |= end === 0 ? FIRST_END : LAST_END;
    return true;
  };
  const sides = chart.sections.map((s): 0 | 1 => {
    const clear = [0, 0];
    for (let r = s.rowFrom; r < s.rowTo; r++) for (const end of [0, 1] as const) if (!onSeats(index, box(r, end))) clear[end]++;
    return clear[1] > clear[0] ? 1 : 0;
  });
  const each = (run: (r: number, side: 0 | 1) => void): void =>
    chart.sections.forEach((s, i) => {
      for (let r = s.rowFrom; r < s.rowTo && !s.general; r++) run(r, sides[i]);
    });
  const other = (side: 0 | 1): 0 | 1 => (side === 0 ? 1 : 0);
  each((r, side) => void (place(r, side) || place(r, other(side))));
  each((r, side) => {
    if (chart.rows[r].to - chart.rows[r].from > 1 && out[r] === (side === 0 ? FIRST_END : LAST_END)) place(r, other(side));
  });
  return out;
}

function labelBox({ chart, pitch }: ChartIndex, r: number, end: 0 | 1): Box {
  const { x, y } = rowLabelPoint(chart, r, end);
  const w = pitch * SIZE * LETTER * Math.max(1, chart.rows[r].label.length), h = pitch * SIZE * HALF_LINE;
  return { x0: x - w, y0: y - h, x1: x + w, y1: y + h };
}

function onSeats(index: ChartIndex, b: Box): boolean {
  const { chart, pitch } = index, reach = pitch * SEAT;
  const wide = { x0: b.x0 - reach, y0: b.y0 - reach, x1: b.x1 + reach, y1: b.y1 + reach };
  let hit = false;
  rowsInView(index, wide, (from, to) => {
    for (let o = from; o < to && !hit; o++) {
      const dx = Math.max(b.x0 - chart.x[o], 0, chart.x[o] - b.x1), dy = Math.max(b.y0 - chart.y[o], 0, chart.y[o] - b.y1);
      hit = dx * dx + dy * dy < reach * reach;
    }
  });
  return hit;
}

/** Boxes by the cells of a grid that their corners touch; none is larger than a cell in practice. */
class Boxes {
  readonly #cell: number;
  readonly #cells = new Map<string, Box[]>();

  constructor(cell: number) {
    this.#cell = cell;
  }

  *#keys(b: Box): Iterable<string> {
    const cell = (v: number): number => Math.floor(v / this.#cell);
    for (let x = cell(b.x0); x <= cell(b.x1); x++) for (let y = cell(b.y0); y <= cell(b.y1); y++) yield `${x},${y}`;
  }

  hits(b: Box): boolean {
    for (const key of this.#keys(b)) {
      if (this.#cells.get(key)?.some((o) => o.x0 < b.x1 && o.x1 > b.x0 && o.y0 < b.y1 && o.y1 > b.y0)) return true;
    }
    return false;
  }

  add(b: Box): void {
    for (const key of this.#keys(b)) this.#cells.set(key, [...(this.#cells.get(key) ?? []), b]);
  }
}

/** What the map looks at: the chart point in the middle of the view, and CSS pixels per chart unit. */
export interface Camera { x: number; y: number; scale: number }

export interface Size { w: number; h: number }
export interface Box { x0: number; y0: number; x1: number; y1: number }
export interface Limits { min: number; max: number; bounds: Box }

/** A camera that shows the whole box with a margin in pixels, and a wider one below for what lies over the map there. */
export function fit(box: Box, view: Size, margin: number, below = margin): Camera {
  const w = Math.max(box.x1 - box.x0, 1e-6), h = Math.max(box.y1 - box.y0, 1e-6);
  const scale = Math.min(Math.max(view.w - 2 * margin, 1) / w, Math.max(view.h - margin - below, 1) / h);
  return { x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2 + (below - margin) / 2 / scale, scale };
}

export const toScreenX = (c: Camera, view: Size, x: number): number => (x - c.x) * c.scale + view.w / 2;
export const toScreenY = (c: Camera, view: Size, y: number): number => (y - c.y) * c.scale + view.h / 2;

export const toChart = (c: Camera, view: Size, px: number, py: number): { x: number; y: number } => ({
  x: (px - view.w / 2) / c.scale + c.x,
  y: (py - view.h / 2) / c.scale + c.y,
});

/** The part of the chart in view, grown by a margin in pixels. */
export function visible(c: Camera, view: Size, margin = 0): Box {
  const w = (view.w / 2 + margin) / c.scale, h = (view.h / 2 + margin) / c.scale;
  return { x0: c.x - w, y0: c.y - h, x1: c.x + w, y1: c.y + h };
}

/** Zooms by a factor so that the chart point under (px, py) stays there. */
export function zoomAt(c: Camera, view: Size, px: number, py: number, factor: number, limits: Limits): Camera {
  const scale = Math.min(limits.max, Math.max(limits.min, c.scale * factor));
  const at = toChart(c, view, px, py);
  return clamp({
    scale,
    x: at.x - (px - view.w / 2) / scale,
    y: at.y - (py - view.h / 2) / scale,
  }, limits);
}

/** Moves the chart by pixels, as a dragging finger does. */
export const pan = (c: Camera, dx: number, dy: number, limits: Limits): Camera =>
  clamp({ x: c.x - dx / c.scale, y: c.y - dy / c.scale, scale: c.scale }, limits);

/** Keeps the middle of the view inside the venue, so that nobody gets lost in emptiness. */
export function clamp(c: Camera, limits: Limits): Camera {
  const { bounds: b } = limits;
  return {
    x: Math.min(b.x1, Math.max(b.x0, c.x)),
    y: Math.min(b.y1, Math.max(b.y0, c.y)),
    scale: Math.min(limits.max, Math.max(limits.min, c.scale)),
  };
}

/** The camera a share (0..1) of the way from a to b: scale moves by ratio, so that the speed looks even. */
export function between(a: Camera, b: Camera, share: number): Camera {
  const e = 1 - (1 - share) ** 3;
  const scale = a.scale * (b.scale / a.scale) ** e;
  // the middle follows the zoom, not the clock, which keeps the target steady in view
  const s = Math.abs(b.scale - a.scale) < 1e-9 ? e : (1 / a.scale - 1 / scale) / (1 / a.scale - 1 / b.scale);
  return { x: a.x + (b.x - a.x) * s, y: a.y + (b.y - a.y) * s, scale };
}

export const same = (a: Camera, b: Camera): boolean => a.x === b.x && a.y === b.y && a.scale === b.scale;

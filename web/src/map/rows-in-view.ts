import { overlaps } from "./base-layer.ts";
import type { Box } from "./camera.ts";
import type { ChartIndex } from "./chart.ts";

/** Calls run(from, to) for every numbered row whose box meets the box: sections are sorted out first, then their rows. */
export function rowsInView(index: ChartIndex, box: Box, run: (from: number, to: number) => void): void {
  const { sections, rows } = index.chart;
  for (let s = 0; s < sections.length; s++) {
    if (sections[s].general || !overlaps(index.sectionBox, s, box)) continue;
    for (let r = sections[s].rowFrom; r < sections[s].rowTo; r++) {
      if (overlaps(index.rowBox, r, box)) run(rows[r].from, rows[r].to);
    }
  }
}

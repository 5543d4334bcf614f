import type { Chart, Row, Section, Shape } from "./geometry.ts";

/** A made-up bowl for tests: tiers of equal wedges around an ellipse. Not shipped: no page imports it. */
export function bowl(tiers = 3, wedges = 40, rowsPer = 20, seatsPer = 25): Chart {
  const seats = tiers * wedges * rowsPer * seatsPer;
  const chart = {
    seats, x: new Float32Array(seats), y: new Float32Array(seats), section: new Uint16Array(seats), row: new Uint16Array(seats),
    category: new Uint8Array(seats), flags: new Uint8Array(seats), sections: [] as Section[], rows: [] as Row[],
    categories: [..."ABCD"].map((key) => ({ key, name: `Category ${key}`, color: "#000" })),
    bounds: { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity }, focal: { x: 0, y: 0 }, pitch: 0.45, shapes: [] as Shape[],
    number: (o: number) => String((o % seatsPer) + 1),
    label: (o: number) => `${chart.sections[chart.section[o]].label}-${chart.rows[chart.row[o]].label}-${chart.number(o)}`,
  };
  let o = 0;
  for (let tier = 0; tier < tiers; tier++) {
    for (let wedge = 0; wedge < wedges; wedge++) o = addWedge(chart, o, tier, wedge, wedges, rowsPer, seatsPer);
  }
  for (let i = 0; i < seats; i++) {
    chart.bounds.x0 = Math.min(chart.bounds.x0, chart.x[i]); chart.bounds.x1 = Math.max(chart.bounds.x1, chart.x[i]);
    chart.bounds.y0 = Math.min(chart.bounds.y0, chart.y[i]); chart.bounds.y1 = Math.max(chart.bounds.y1, chart.y[i]);
  }
  return chart;
}

function addWedge(chart: Chart, o: number, tier: number, wedge: number, wedges: number, rowsPer: number, seatsPer: number): number {
  const section = chart.sections.length, from = o, rowFrom = chart.rows.length;
  const inner = 62 + tier * (rowsPer + 4);
  const at = (r: number, share: number): [number, number] => {
    const a = ((wedge + 0.04 + 0.92 * share) / wedges) * 2 * Math.PI;
    return [Math.cos(a) * r * 1.3, Math.sin(a) * r];
  };
  for (let r = 0; r < rowsPer; r++) {
    chart.rows.push({ label: String(r + 1), section, from: o, to: o + seatsPer });
    for (let s = 0; s < seatsPer; s++, o++) {
      [chart.x[o], chart.y[o]] = at(inner + r, (s + 0.5) / seatsPer);
      chart.section[o] = section;
      chart.row[o] = chart.rows.length - 1;
      chart.category[o] = (tier + (wedge % 10 < 5 ? 0 : 1)) % 4;
    }
  }
  const edge = [0, 0.25, 0.5, 0.75, 1];
  const outline = [...edge.map((e) => at(inner - 1, e)), ...edge.reverse().map((e) => at(inner + rowsPer, e))].flat();
  chart.sections.push({
    label: `${tier + 1}${String(wedge + 1).padStart(2, "0")}`, name: `Section ${tier + 1}${String(wedge + 1).padStart(2, "0")}`, from, to: o,
    rowFrom, rowTo: chart.rows.length, outline: new Float32Array(outline), category: chart.category[from], general: false,
    centre: { x: at(inner + rowsPer / 2, 0.5)[0], y: at(inner + rowsPer / 2, 0.5)[1] },
  });
  return o;
}

import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { decodeGeometry, GeometryError, rowLabelPoint } from "./geometry.ts";
import type { Chart } from "./geometry.ts";

const folder = "../core/seatmap/testdata/";

function bytes(name: string): ArrayBuffer {
  const file = readFileSync(`${folder}${name}.geometry.bin`);
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
}

const golden = (name: string) => JSON.parse(readFileSync(`${folder}${name}.geometry.json`, "utf8"));

function fnv(data: ArrayBufferView): number {
  let h = 2166136261;
  for (const byte of new Uint8Array(data.buffer, data.byteOffset, data.byteLength)) h = Math.imul(h ^ byte, 16777619);
  return h >>> 0;
}

function checksums(chart: Chart): Record<string, number> {
  let labels = "";
  for (let o = 0; o < chart.seats; o++) labels += `${chart.label(o)}\n`;
  const outlines = chart.sections.flatMap((s) => [...s.outline]);
  return {
    x: fnv(chart.x), y: fnv(chart.y), section: fnv(chart.section), row: fnv(chart.row),
    category: fnv(chart.category), flags: fnv(chart.flags),
    labels: fnv(new TextEncoder().encode(labels)), outlines: fnv(new Float32Array(outlines)),
  };
}

const pairs = (points: Float32Array): number[][] =>
  Array.from({ length: points.length / 2 }, (_, i) => [points[2 * i], points[2 * i + 1]]);

const near = (got: number, want: number): void => assert.ok(Math.abs(got - want) < 1e-4, `${got} is not ${want}`);

for (const name of ["small", "stadium"]) {
  test(`${name}: the vectors of core/seatmap decode alike`, () => {
    const chart = decodeGeometry(bytes(name));
    const want = golden(name);
    assert.equal(chart.seats, want.seats);
    assert.deepEqual(checksums(chart), want.checksums);
    assert.deepEqual(chart.categories, want.categories);
    near(chart.pitch, want.pitch);
    near(chart.focal.x, want.focal[0]);
    near(chart.focal.y, want.focal[1]);
    [chart.bounds.x0, chart.bounds.y0, chart.bounds.x1, chart.bounds.y1].forEach((v, i) => near(v, want.bounds[i]));
  });
}

test("small: sections, rows, shapes and seats one by one", () => {
  const chart = decodeGeometry(bytes("small"));
  const want = golden("small");
  assert.equal(chart.sections.length, want.sections.length);
  chart.sections.forEach((s, i) => {
    const { outline, ...rest } = want.sections[i];
    const { outline: points, centre, ...got } = s;
    assert.deepEqual(got, rest);
    assert.ok(centre.x > chart.bounds.x0 && centre.x < chart.bounds.x1);
    pairs(points).forEach((p, k) => p.forEach((v, axis) => near(v, outline[k][axis])));
  });
  assert.deepEqual(chart.rows, want.rows);
  assert.equal(chart.shapes.length, want.shapes.length);
  chart.shapes.forEach((s, i) => {
    assert.equal(s.role, want.shapes[i].role);
    assert.equal(s.label, want.shapes[i].label ?? "");
    assert.equal(s.color, want.shapes[i].color ?? "");
    assert.equal(s.points.length, 2 * want.shapes[i].points.length);
  });
  want.list.forEach((seat: { label: string; x: number; y: number; category: number; flags: number }, o: number) => {
    assert.equal(chart.label(o), seat.label);
    assert.ok(seat.label.endsWith(`-${chart.number(o)}`));
    near(chart.x[o], seat.x);
    near(chart.y[o], seat.y);
    assert.equal(chart.category[o], seat.category);
    assert.equal(chart.flags[o], seat.flags);
  });
});

test("row labels stand beyond the row's ends", () => {
  const chart = decodeGeometry(bytes("small"));
  const row = chart.rows[0];
  assert.ok(rowLabelPoint(chart, 0, 0).x < chart.x[row.from]);
  assert.ok(rowLabelPoint(chart, 0, 1).x > chart.x[row.to - 1]);
  const alone = chart.rows.findIndex((r) => r.to - r.from === 1);
  assert.ok(rowLabelPoint(chart, alone, 1).x > chart.x[chart.rows[alone].from]);
});

test("an unknown seat is an error, not a wrong label", () => {
  const chart = decodeGeometry(bytes("small"));
  for (const o of [-1, chart.seats, 1.5]) assert.throws(() => chart.label(o), RangeError);
});

test("cut at any byte, the geometry is refused", () => {
  const whole = bytes("small");
  for (let n = 0; n < whole.byteLength; n++) assert.throws(() => decodeGeometry(whole.slice(0, n)), GeometryError, `${n} bytes`);
});

test("more after the end is refused", () => {
  const whole = new Uint8Array(bytes("small"));
  const longer = new Uint8Array(whole.length + 1);
  longer.set(whole);
  assert.throws(() => decodeGeometry(longer.buffer), /bytes after the end/);
});

test("changed bytes decode to something or are refused, nothing else", () => {
  const whole = new Uint8Array(bytes("small"));
  let refused = 0;
  for (let at = 0; at < whole.length; at++) {
    for (const value of [0, 1, 127, 128, 255]) {
      const changed = whole.slice();
      changed[at] = value;
      try {
        const chart = decodeGeometry(changed.buffer);
        assert.equal(chart.x.length, chart.seats);
        for (let o = 0; o < chart.seats; o++) chart.label(o);
      } catch (error) {
        assert.ok(error instanceof GeometryError, String(error));
        refused++;
      }
    }
  }
  assert.ok(refused > whole.length, `${refused} refused`);
});

test("a claim of millions of seats is refused before memory is taken", () => {
  const head = new Uint8Array(bytes("small")).slice(0, 20);
  const claim = new Uint8Array(26);
  claim.set(head);
  claim.set([0xff, 0xff, 0xff, 0xff, 0x07, 0], 20);
  assert.throws(() => decodeGeometry(claim.buffer), /too many seats/);
});

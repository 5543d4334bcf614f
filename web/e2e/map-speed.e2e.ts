import { test } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { launch, MOVING, newFan } from "./browser.ts";
import { YARDSTICK } from "./yardstick.ts";

// Draw times of a 60,000-seat map at 500 changes a second. The budget is a median under 4 ms and a 95th percentile
// under 8 ms. Others may use the machine at the same time, so a frame counts with its best of several rounds of the same
// work, and a machine on which the yardstick takes longer than here gets as much more.
const BUDGET = { median: 4, p95: 8 };
const ROUNDS = 8, FRAMES = 150;

const percentile = (times: readonly number[], share: number): number =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]!;

test("the map draws within its budget at every level", async (t) => {
  const bundle = async (entry: string): Promise<Buffer> => {
    const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: "esm", target: "es2022", minify: true, write: false, outdir: "x" });
    return Buffer.from(outputFiles[0]!.contents);
  };
  const files: Record<string, [string, Buffer]> = {
    "/": ["text/html", Buffer.from('<!doctype html><link rel="stylesheet" href="/s.css"><link rel="stylesheet" href="/m.css"><body><div class="map" id="map" style="height:90vh"></div><script type="module" src="/s.js"></script>')],
    "/s.css": ["text/css", await bundle("styles/site.css")],
    "/m.css": ["text/css", await bundle("styles/seats.css")],
    "/s.js": ["text/javascript", await bundle("e2e/map-speed-page.ts")],
  };
  const server = createServer((q, r) => {
    const [type, body] = files[q.url ?? ""] ?? ["text/plain", Buffer.from("")];
    r.writeHead(body.length > 0 ? 200 : 404, { "Content-Type": type }).end(body);
  }).listen(0, "127.0.0.1");
  const browser = await launch();
  try {
    const { page, trouble } = await newFan(browser, MOVING);
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction(() => typeof window.measure === "function");
    for (const scene of ["far", "dense", "near"] as const) {
      await page.evaluate((s) => window.goTo(s), scene);
      const best = new Array<number>(FRAMES).fill(Infinity);
      let slower = Infinity, median = Infinity, p95 = Infinity, round = 0;
      do {
        slower = Math.min(slower, Math.max(1, (await page.evaluate(() => window.yardstick())) / YARDSTICK));
        (await page.evaluate((n) => window.measure(n), FRAMES)).forEach((ms, f) => (best[f] = Math.min(best[f]!, ms)));
        [median, p95] = [percentile(best, 0.5), percentile(best, 0.95)];
      } while (++round < ROUNDS && !(median < BUDGET.median * slower && p95 < BUDGET.p95 * slower));
      const figures = `${scene}: median ${median.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms, machine ${slower.toFixed(2)} times slower, round ${round}`;
      t.diagnostic(figures);
      assert.ok(median < BUDGET.median * slower && p95 < BUDGET.p95 * slower, figures);
    }
    assert.deepEqual(trouble, []);
  } finally {
    await browser.close();
    server.close();
  }
});

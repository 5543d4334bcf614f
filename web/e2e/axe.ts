import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** Runs axe on what the page shows now; serious and critical findings fail. */
export async function audit(page: Page, where: string, without: readonly string[] = []): Promise<void> {
  await still(page);
  await page.evaluate(AXE);
  const { violations } = await page.evaluate((off) => (window as unknown as { axe: { run(o: object): Promise<AxeResults> } }).axe
    .run({ resultTypes: ["violations"], rules: Object.fromEntries(off.map((id) => [id, { enabled: false }])) }), without);
  const bad = violations.filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id}: ${v.help}\n  ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join("\n  ")}`);
  assert.deepEqual(bad, [], where);
}

/** Waits for transitions: colours between two states are nobody's choice. Spinners turn for ever and do not count. */
const still = (page: Page): Promise<unknown> => page.evaluate(() => Promise.allSettled(
  document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity).map((a) => a.finished)));

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** Runs axe on what the page shows now; serious and critical findings fail. */
export async function audit(page: Page, where: string, without: readonly string[] = []): Promise<void> {
  await page.evaluate(AXE); // before it is still: to bring it in takes a while, in which something may begin to move
  await still(page);
  const { violations } = await page.evaluate((off) => (window as unknown as { axe: { run(o: object): Promise<AxeResults> } }).axe
    .run({ resultTypes: ["violations"], rules: Object.fromEntries(off.map((id) => [id, { enabled: false }])) }), without);
  const bad = violations.filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id}: ${v.help}\n  ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join("\n  ")}`);
  assert.deepEqual(bad, [], where);
}

/**
 * Waits for the transitions that run now: colours between two states are nobody's choice. Spinners and pulses go on and do not
 * count. It looks at what runs: the promise of one whose element a page replaces meanwhile may stay open for ever.
 */
async function still(page: Page): Promise<void> {
  const began = await page.evaluateHandle(() => document.getAnimations().filter((a) => Number(a.effect?.getComputedTiming().endTime) < 1000));
  await page.waitForFunction((all) => {
    const now = new Set(document.getAnimations());
    return !all.some((a) => now.has(a) && a.playState === "running");
  }, began);
  await began.dispose();
}

// npm run e2e: the whole product in Chromium; the last line is "N passed, N failed".
//
// Starts the product (see product.mjs) and runs e2e/**/*.e2e.ts, four files at once: most of what a file does is waiting
// for draws, clocks and payments. Each makes what it changes: an event of its own, or seats that no other file takes. `npm run e2e NAME` runs only files whose path contains NAME; LANES=1 runs one at a time.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleForNode, startProduct, web } from "./product.mjs";

process.chdir(web);
const only = process.argv[2] ?? "";
const LANES = Number(process.env.LANES) || 4;
const LONGEST_FILE = 900_000; // ms after which a file hangs, whatever it waits for

/** Files that measure: nothing else runs beside them. */
const ALONE = new Set(["map-speed.e2e.ts", "timely.e2e.ts"]);

/** Files that need no product. */
const STANDALONE = new Set(["map-speed.e2e.ts"]);

/** The longest first, so that no lane ends long after the others. */
const LONGEST = ["line-draw.e2e.ts", "line-turn.e2e.ts", "states.e2e.ts", "accessibility.e2e.ts", "journey.e2e.ts", "widget.e2e.ts", "order.e2e.ts", "embed-desk.e2e.ts", "theatre.e2e.ts", "line.e2e.ts"];

const rank = (file) => (LONGEST.indexOf(file) + LONGEST.length + 1) % (LONGEST.length + 1);
const files = readdirSync("e2e").filter((f) => f.endsWith(".e2e.ts") && f.includes(only)).sort((a, b) => rank(a) - rank(b));
const work = mkdtempSync(join(tmpdir(), "plateia-e2e-"));
chmodSync(work, 0o755); // else a database that must not run as root would be elsewhere, and stay there
const bundles = join(web, "node_modules", `.e2e-${process.pid}`);

/** Runs one file and prints what it said when it ends, so that no two files talk at once. Answers {passed, failed}. */
function run(file, bundle, env) {
  const began = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=tap", bundle],
      { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let out = "", errors = "";
    const hangs = setTimeout(() => {
      errors += `${file} has not ended after ${LONGEST_FILE / 1000} s\n`;
      child.kill("SIGKILL");
    }, LONGEST_FILE);
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (errors += d));
    child.on("close", (code) => {
      clearTimeout(hangs);
      const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(out)?.[1] ?? 0);
      const passed = count("pass"), failed = count("fail") + count("cancelled") || Number(code !== 0);
      process.stdout.write(`${errors}# File: ${file}, ${((Date.now() - began) / 1000).toFixed(1)} s\n${out}`);
      resolve({ passed, failed });
    });
  });
}

/** Runs all files, as many at once as there are lanes; then those that must be alone. */
async function runAll(env) {
  const outputs = await bundleForNode(files.map((f) => join("e2e", f)), bundles);
  const waiting = files.map((file, i) => ({ file, bundle: outputs[i] }));
  const total = { passed: 0, failed: 0 };
  const start = async (job) => {
    waiting.splice(waiting.indexOf(job), 1);
    const { passed, failed } = await run(job.file, job.bundle, env);
    total.passed += passed;
    total.failed += failed;
  };
  const lane = async () => {
    for (let job; (job = waiting.find((j) => !ALONE.has(j.file)));) await start(job);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  while (waiting.length > 0) await start(waiting[0]);
  return total;
}

let total = { passed: 0, failed: 0 };
let product = { env: {}, stop: async () => {}, log: () => "" };
try {
  if (files.length === 0) throw new Error(`no file of e2e/ has ${only} in its path`);
  if (files.some((f) => !STANDALONE.has(f))) product = await startProduct(work);
  total = await runAll(product.env);
  if (total.passed === 0 && total.failed === 0) total.failed = 1;
  if (total.failed > 0) console.error(`the product's last words:\n${product.log()}`);
} catch (error) {
  console.error(String(error));
  total.failed++;
} finally {
  await product.stop();
  try {
    rmSync(bundles, { recursive: true, force: true });
    rmSync(work, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  } catch (error) {
    console.error(`left behind: ${error}`); // no reason to call a good product bad
  }
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

// npm run e2e: the whole product in Chromium; the last line is "N passed, N failed".
//
// Starts bin/plateia dev on a free port with a data folder of its own (or uses PLATEIA_URL, a product that runs already)
// and runs e2e/**/*.e2e.ts one after the other. `npm run e2e NAME` runs only files whose path contains NAME.
import { build as bundle } from "esbuild";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(web);
const only = process.argv[2] ?? "";
const files = readdirSync("e2e").filter((f) => f.endsWith(".e2e.ts") && f.includes(only));
const STANDALONE = new Set(["map-speed.e2e.ts"]); // need no product
const work = mkdtempSync(join(tmpdir(), "plateia-e2e-"));
const bundles = join(web, "node_modules", `.e2e-${process.pid}`); // below node_modules, whose packages they import

const OPERATOR = process.env.PLATEIA_OPERATOR_KEY ?? "e2e: for operators of this test only";

const START = 240_000; // ms: a first start loads two venues into a fresh database, on a machine that may be busy
const STOP = 30_000;

/** Starts the product and answers {url, data folder, stop, log}. PLATEIA_DATA names the folder of one that runs already. */
async function startProduct() {
  if (process.env.PLATEIA_URL) {
    return { url: process.env.PLATEIA_URL, data: process.env.PLATEIA_DATA ?? "", stop: async () => {}, log: () => "" };
  }
  const binary = process.env.PLATEIA_BIN ?? join(web, "..", "bin", "plateia");
  if (!existsSync(binary)) throw new Error(`${binary} is missing: run make build`);
  const child = spawn(binary, ["dev", "--addr", "127.0.0.1:0", "--data", join(work, "data")], {
    stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, PLATEIA_OPERATOR_KEY: OPERATOR },
  });
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  let out = "";
  const log = () => out.slice(-8000);
  const ready = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`plateia dev is not ready after ${START / 1000} s\n${log()}`)), START).unref();
    const read = (chunk) => {
      out = (out + chunk).slice(-200_000);
      const found = /^ready (\S+)/m.exec(out);
      if (found) resolve(found[1]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", reject);
    void ended.then((how) => reject(new Error(`plateia dev ended with ${how}\n${log()}`)));
  });
  const stop = async () => {
    child.kill("SIGINT");
    const kill = setTimeout(() => child.kill("SIGKILL"), STOP);
    await ended;
    clearTimeout(kill);
  };
  try {
    return { url: (await ready).replace(/\/$/, ""), data: join(work, "data"), stop, log };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function run(env) {
  await bundle({
    absWorkingDir: web, entryPoints: files.map((f) => join("e2e", f)), outdir: bundles, bundle: true, platform: "node", format: "esm",
    packages: "external", target: "node20", sourcemap: "inline", outExtension: { ".js": ".mjs" }, logLevel: "warning",
  });
  const outputs = files.map((f) => join(bundles, f.replace(/\.ts$/, ".mjs")));
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--enable-source-maps", "--test", "--test-concurrency=1", "--test-reporter=tap", ...outputs],
      { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    child.stdout.on("data", (d) => {
      out += d;
      process.stdout.write(d);
    });
    child.on("close", () => resolve(out));
  });
}

let passed = 0;
let failed = 0;
let product = { url: "", data: "", stop: async () => {}, log: () => "" };
try {
  if (files.some((f) => !STANDALONE.has(f))) product = await startProduct();
  const out = await run({ PLATEIA_URL: product.url, PLATEIA_DATA: product.data, PLATEIA_OPERATOR_KEY: process.env.PLATEIA_URL ? process.env.PLATEIA_OPERATOR_KEY ?? "" : OPERATOR });
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(out)?.[1] ?? 0);
  passed = count("pass");
  failed = count("fail") + count("cancelled");
  if (passed + failed === 0) failed = 1;
  if (failed > 0) console.error(`the product's last words:\n${product.log()}`);
} catch (error) {
  console.error(String(error));
  failed++;
} finally {
  await product.stop();
  try {
    rmSync(bundles, { recursive: true, force: true });
    rmSync(work, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  } catch (error) {
    console.error(`left behind: ${error}`); // no reason to call a good product bad
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

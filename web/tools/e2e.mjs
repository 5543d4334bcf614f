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

/** Starts the product and answers {url, data folder, stop}. PLATEIA_DATA names the folder of one that runs already. */
async function startProduct() {
  if (process.env.PLATEIA_URL) return { url: process.env.PLATEIA_URL, data: process.env.PLATEIA_DATA ?? "", stop: async () => {} };
  const binary = process.env.PLATEIA_BIN ?? join(web, "..", "bin", "plateia");
  if (!existsSync(binary)) throw new Error(`${binary} is missing: run make build`);
  const child = spawn(binary, ["dev", "--addr", "127.0.0.1:0", "--data", join(work, "data")], { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`plateia dev is not ready after 90 s\n${out.slice(-4000)}`)), 90_000);
    const read = (chunk) => {
      out += chunk;
      const found = /^ready (\S+)/m.exec(out);
      if (found) {
        clearTimeout(timer);
        resolve(found[1]);
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", (code) => reject(new Error(`plateia dev ended with ${code}\n${out.slice(-4000)}`)));
  });
  const stop = () => new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.on("exit", resolve);
    child.kill("SIGINT");
    setTimeout(() => child.kill("SIGKILL"), 20_000).unref();
  });
  return { url: url.replace(/\/$/, ""), data: join(work, "data"), stop };
}

async function run(env) {
  await bundle({
    entryPoints: files.map((f) => join("e2e", f)), outdir: join(web, "node_modules", ".e2e"), bundle: true, platform: "node", format: "esm",
    packages: "external", target: "node20", sourcemap: "inline", outExtension: { ".js": ".mjs" }, logLevel: "warning",
  });
  const outputs = files.map((f) => join("node_modules", ".e2e", f.replace(/\.ts$/, ".mjs")));
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
let product = { url: "", data: "", stop: async () => {} };
try {
  if (files.some((f) => !STANDALONE.has(f))) product = await startProduct();
  const out = await run({ PLATEIA_URL: product.url, PLATEIA_DATA: product.data });
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(out)?.[1] ?? 0);
  passed = count("pass");
  failed = count("fail") + count("cancelled");
  if (passed + failed === 0) failed = 1;
} catch (error) {
  console.error(String(error));
  failed++;
} finally {
  await product.stop();
  rmSync(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

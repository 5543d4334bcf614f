// npm test: types, size limits and unit tests; the last line is "N passed, N failed".
//
// Tests are src/**/*.test.ts, bundled one by one and run by node's own runner. They run with web/ as the working
// directory, so data next to them is read by paths such as "../realtime/wire/testdata/x.json".
import { build as bundle } from "esbuild";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSite, overLimit, report } from "../build.mjs";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(web);
const work = mkdtempSync(join(tmpdir(), "plateia-web-test-"));
let passed = 0;
let failed = 0;

function verdict(name, problems) {
  if (problems.length === 0) {
    passed++;
    console.log(`ok   ${name}`);
    return;
  }
  failed++;
  console.log(`FAIL ${name}\n${problems.join("\n")}`);
}

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (out += d));
    child.on("error", (e) => resolve({ code: 1, out: String(e) }));
    child.on("close", (code) => resolve({ code, out }));
  });
}

async function types() {
  for (const project of ["tsconfig.json", "tsconfig.test.json"]) {
    const { code, out } = await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", project]);
    verdict(`types of ${project}`, code === 0 ? [] : [out]);
  }
}

async function sizes() {
  try {
    const site = await buildSite(join(work, "dist"));
    console.log(report(site));
    verdict("pages stay within their size limits", overLimit(site));
  } catch (error) {
    verdict("the site builds", [String(error)]);
  }
}

async function units(only) {
  const files = readdirSync("src", { recursive: true })
    .filter((f) => f.endsWith(".test.ts") && f.includes(only))
    .map((f) => join("src", f));
  const outdir = join(work, "unit");
  await bundle({
    absWorkingDir: web, entryPoints: files, outdir, outbase: "src", bundle: true, platform: "node", format: "esm",
    target: "node20", sourcemap: "inline", outExtension: { ".js": ".mjs" }, logLevel: "warning",
  });
  const outputs = files.map((f) => join(outdir, relative("src", f).replace(/\.ts$/, ".mjs")));
  const { code, out } = await run(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=tap", ...outputs]);
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(out)?.[1] ?? 0);
  passed += count("pass");
  failed += count("fail") + count("cancelled");
  if (code !== 0) {
    console.log(out);
    if (count("fail") === 0) failed++;
  }
}

const only = process.argv[2] ?? "";
try {
  if (only === "") {
    await types();
    await sizes();
  }
  await units(only);
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

// make screenshots: pictures of every page and state in three widths, light and dark, taken of the real product.
//
// node tools/screenshots.mjs [FOLDER] [WORD]: into FOLDER (.screenshots beside web/), only scenes whose name contains
// WORD. FOLDER/index.html shows all of them. The scenes are e2e/shots/*.ts; how the product is started is product.mjs's.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundleForNode, startProduct, web } from "./product.mjs";

const folder = resolve(process.argv[2] || join(web, "..", ".screenshots"));
const word = process.argv[3] ?? "";
process.chdir(web);
const work = mkdtempSync(join(tmpdir(), "plateia-screenshots-"));
chmodSync(work, 0o755); // else a database that must not run as root would be elsewhere, and stay there
const bundles = join(web, "node_modules", `.screenshots-${process.pid}`);
let product = { env: {}, stop: async () => {} };
let code = 1;
try {
  product = await startProduct(work);
  const [main] = await bundleForNode(["e2e/shots/main.ts"], bundles);
  code = await new Promise((done) => {
    const child = spawn(process.execPath, ["--enable-source-maps", main, folder, word], { env: { ...process.env, ...product.env }, stdio: "inherit" });
    child.on("close", done);
  });
} finally {
  await product.stop();
  for (const left of [bundles, work]) rmSync(left, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
process.exit(code);

// npm run warm [ADDRESS…]: see e2e/warm-view.ts. Without an address it starts the product.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleForNode, startProduct, web } from "./product.mjs";

process.chdir(web);
const addresses = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "plateia-warm-")), bundles = join(web, "node_modules", `.warm-${process.pid}`);
let product = { env: {}, stop: async () => {} }, code = 1;
try {
  const [script] = await bundleForNode([join("e2e", "warm-view.ts")], bundles);
  if (addresses.length === 0) product = await startProduct(work);
  const child = spawn(process.execPath, [script, ...addresses], { stdio: "inherit", env: { ...process.env, ...product.env } });
  code = await new Promise((done) => child.once("exit", done));
} finally {
  await product.stop();
  for (const folder of [bundles, work]) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
process.exit(code ?? 1);

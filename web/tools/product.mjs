// The product under a browser: started with a data folder of its own, or one that runs already (PLATEIA_URL).
import { build } from "esbuild";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const web = dirname(dirname(fileURLToPath(import.meta.url)));

const OPERATOR = process.env.PLATEIA_OPERATOR_KEY ?? "e2e: for operators of this test only";
const START = 240_000; // ms: a first start loads two venues into a fresh database, on a machine that may be busy
const STOP = 30_000;

/** Starts the product and answers {env for who drives it, stop, log}. PLATEIA_DATA names the folder of one that runs already. */
export async function startProduct(work) {
  if (process.env.PLATEIA_URL) return { env: {}, stop: async () => {}, log: () => "" };
  const binary = process.env.PLATEIA_BIN ?? join(web, "..", "bin", "plateia");
  if (!existsSync(binary)) throw new Error(`${binary} is missing: run make build`);
  const data = join(work, "data");
  const child = spawn(binary, ["dev", "--addr", "127.0.0.1:0", "--data", data], {
    stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, PLATEIA_OPERATOR_KEY: OPERATOR },
  });
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  let out = "";
  const log = () => out.slice(-8000);
  const ready = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`plateia dev is not ready after ${START / 1000} s\n${log()}`)), START).unref();
    const read = (chunk) => {
      out = (out + chunk).slice(-200_000);
      const found = /^ready (\S+)/m.exec(out), partner = /^partner (\S+)\s/m.exec(out);
      if (found && partner) resolve({ url: found[1], partner: partner[1] });
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
    const { url, partner } = await ready;
    const env = { PLATEIA_URL: url.replace(/\/$/, ""), PLATEIA_PARTNER: partner.replace(/\/$/, ""), PLATEIA_DATA: data, PLATEIA_OPERATOR_KEY: OPERATOR };
    return { env, stop, log };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Bundles files of web/ for node into outdir, which has to be below node_modules, whose packages they import. Answers their paths. */
export async function bundleForNode(files, outdir) {
  await build({
    absWorkingDir: web, entryPoints: files, outdir, outbase: ".", bundle: true, platform: "node", format: "esm",
    packages: "external", target: "node20", sourcemap: "inline", outExtension: { ".js": ".mjs" }, logLevel: "warning",
  });
  return files.map((f) => join(outdir, f.replace(/\.ts$/, ".mjs")));
}

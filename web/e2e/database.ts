import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = "/usr/lib/postgresql";

/** The private PostgreSQL of the product under test, or null when there is none to reach. */
export function database(): ((sql: string) => string) | null {
  const pid = join(process.env.PLATEIA_DATA || "/nonexistent", "postgres", "data", "postmaster.pid");
  const psql = existsSync(ROOT) ? readdirSync(ROOT).map((v) => join(ROOT, v, "bin", "psql")).find(existsSync) : undefined;
  if (!psql || !existsSync(pid)) return null;
  const [, , , port, socket] = readFileSync(pid, "utf8").split("\n");
  return (sql) => execFileSync(psql, ["-h", socket!, "-p", port!, "-U", "plateia", "-d", "plateia", "-Atc", sql], { encoding: "utf8" });
}

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesRunMore, type LineCounts, readLcov } from "./lcov.ts";

const root = join(import.meta.dir, "../..");
const warmUpRequests = 20;
const requests = 500;

/**
 * The files of src/ that each warm chat request passes: those in which some line runs once a request or more. Two gateways
 * are sent 20 and 520 requests, and what counts is the difference, so that neither the start nor the end is counted.
 * Code in another thread is not counted, nor is code that runs once for many requests.
 */
export async function warmPathFiles(): Promise<string[]> {
  const before = await countLines(warmUpRequests);
  const after = await countLines(warmUpRequests + requests);
  return filesRunMore(before, after, requests).filter(isProduct);
}

/** The sandbox stands in for providers: it is no part of the gateway. */
function isProduct(file: string): boolean {
  return file.startsWith("src/") && !file.startsWith("src/sandbox/");
}

async function countLines(count: number): Promise<LineCounts> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-coverage-"));
  const options = ["--timeout", "120000", "--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`];
  const command = [process.execPath, "test", ...options, "./scripts/count-files/warm-requests.ts"];
  const env = { ...process.env, WARM_REQUESTS: String(count) };
  try {
    const child = Bun.spawn(command, { cwd: root, env, stdout: "ignore", stderr: "pipe" });
    const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (code !== 0) throw new Error(`the requests to be counted failed:\n${errors.slice(-2000)}`);
    return readLcov(readFileSync(join(folder, "lcov.info"), "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

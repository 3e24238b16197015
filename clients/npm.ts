import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Installed } from "./client.ts";
import { tail } from "./program.ts";

interface InstallOptions {
  /** Default: 300,000 */
  readonly limitMs?: number;
  /** Packages that need their install script, which downloads a binary or compiles one. Default: none. */
  readonly build?: readonly string[];
  /** A package with the Node.js that builds and runs them. Default: the one on the path. */
  readonly node?: string;
}

/**
 * Installs what the client's own `package-lock.json` pins, without other install scripts than those of `build`: a machine
 * may reach nothing but the registry. Does nothing if the folder has it already.
 * @param source the client's folder in this repository
 * @param main the package whose version is told
 */
export async function installFromNpm(
  source: string,
  folder: string,
  main: string,
  { limitMs = 300_000, build = [], node }: InstallOptions = {},
): Promise<Installed> {
  const lock = readFileSync(join(source, "package-lock.json"), "utf8");
  const marker = join(folder, "installed.json");
  if (!existsSync(marker) || readFileSync(marker, "utf8") !== lock) {
    for (const file of ["package.json", "package-lock.json"]) cpSync(join(source, file), join(folder, file));
    await runNpm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder, limitMs);
    if (build.length > 0) await runNpm(["rebuild", ...build], folder, limitMs, node);
    writeFileSync(marker, lock);
  }
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules", main, "package.json"), "utf8")) as {
    readonly version: string;
  };
  return { folder, version };
}

async function runNpm(command: readonly string[], folder: string, limitMs: number, node?: string): Promise<void> {
  const nodeFolder = node === undefined ? null : join(folder, "node_modules", node);
  const path = [...(nodeFolder === null ? [] : [join(nodeFolder, "bin")]), process.env.PATH].join(":");
  const options = nodeFolder === null ? [] : [`--nodedir=${nodeFolder}`];
  const npm = Bun.spawn(["npm", ...command, ...options], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    timeout: limitMs,
  });
  const [errors, code] = await Promise.all([new Response(npm.stderr).text(), npm.exited]);
  if (code !== 0) throw new Error(`npm ${command[0]} failed: ${tail(errors)}`);
}

import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Installed } from "./client.ts";
import { tail } from "./program.ts";

const limitMs = 300_000;

/**
 * Installs what the client's own `package-lock.json` pins, without install scripts: a machine may reach nothing but the
 * registry. Does nothing if the folder has it already.
 * @param source the client's folder in this repository
 * @param main the package whose version is told
 */
export async function installFromNpm(source: string, folder: string, main: string): Promise<Installed> {
  const lock = readFileSync(join(source, "package-lock.json"), "utf8");
  const marker = join(folder, "installed.json");
  if (!existsSync(marker) || readFileSync(marker, "utf8") !== lock) {
    for (const file of ["package.json", "package-lock.json"]) cpSync(join(source, file), join(folder, file));
    const command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    const npm = Bun.spawn(command, {
      cwd: folder,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      timeout: limitMs,
    });
    const [errors, code] = await Promise.all([new Response(npm.stderr).text(), npm.exited]);
    if (code !== 0) throw new Error(`npm ci failed: ${tail(errors)}`);
    writeFileSync(marker, lock);
  }
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules", main, "package.json"), "utf8")) as {
    readonly version: string;
  };
  return { folder, version };
}

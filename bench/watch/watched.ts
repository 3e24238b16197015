import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { reportVariable } from "./report-on-signal.ts";

/** A report that a process with one of the preloads writes when it is asked. */
export interface ReportChannel {
  /** The options that the process must be started with. */
  readonly environment: Readonly<Record<string, string>>;
  /** Asks the process and waits for its answer, which a held-up event loop gives late. Throws after a minute. */
  ask<Report>(pid: number): Promise<Report>;
}

const limitMilliseconds = 60_000;

/** Preloads a script of this folder. `folder` takes the reports. */
export function openReports(preload: "loop-preload.ts" | "heap-preload.ts", folder: string): ReportChannel {
  const file = join(folder, `${preload}.json`);
  const environment = { BUN_OPTIONS: `--preload=${join(import.meta.dir, preload)}`, [reportVariable]: file };
  return {
    environment,
    async ask<Report>(pid: number) {
      rmSync(file, { force: true });
      process.kill(pid, "SIGUSR2");
      const limit = performance.now() + limitMilliseconds;
      while (!existsSync(file)) {
        if (performance.now() > limit) throw new Error(`process ${pid} wrote no report within a minute`);
        await Bun.sleep(5);
      }
      return JSON.parse(readFileSync(file, "utf8")) as Report;
    },
  };
}

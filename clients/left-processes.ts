import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface LeftProcess {
  readonly pid: number;
  /** The beginning of its command line, with `~` for the folder. */
  readonly command: string;
}

const maxCommandCharacters = 160;

const endLimitMs = 5_000;

/**
 * Kills the processes that have a folder in their environment, command or working directory: programs that put
 * themselves into the background leave their process group. Resolves with those found, once they have ended. Finds none
 * on systems without `/proc`. Throws if one does not end within 5 seconds.
 */
export async function endProcessesOf(folder: string): Promise<readonly LeftProcess[]> {
  const limit = performance.now() + endLimitMs;
  const found = new Map<number, LeftProcess>();
  // Again, since one of them may have started another meanwhile.
  for (let left = processesOf(folder); left.length > 0; left = processesOf(folder)) {
    if (performance.now() > limit) throw new Error(`processes do not end: ${describe(left)}`);
    for (const one of left) {
      found.set(one.pid, one);
      kill(one.pid);
    }
    await Bun.sleep(10);
  }
  return [...found.values()];
}

/** Processes on one line, for a report. */
export function describe(processes: readonly LeftProcess[]): string {
  return processes.map(({ pid, command }) => `${command} (${pid})`).join("; ");
}

function processesOf(folder: string): LeftProcess[] {
  return processIds()
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
        const places = [command, environment, readlinkSync(`/proc/${pid}/cwd`)];
        return places.some((place) => place.includes(folder))
          ? [{ pid, command: command.replaceAll(folder, "~").slice(0, maxCommandCharacters) }]
          : [];
      } catch {
        // It has ended, or is another user's.
        return [];
      }
    });
}

function processIds(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

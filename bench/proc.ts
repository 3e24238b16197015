import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** CPU time that a process has used so far, in microseconds: user and system, all its threads, ended ones too. */
export function cpuMicroseconds(pid: number): number {
  const stat = readProcess(pid, "stat");
  // The second field is the program's name in brackets and may hold spaces: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  return ((userTicks + systemTicks) / ticksPerSecond) * 1e6;
}

/** Resident memory of a process, in megabytes (10^6 bytes). */
export function residentMegabytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readProcess(pid, "status"))?.[1];
  return (Number(kibibytes ?? 0) * 1024) / 1e6;
}

/** For how long another guest of the machine had this core while this one wanted it, in milliseconds so far. */
export function stolenMilliseconds(core: number): number {
  const line = new RegExp(`^cpu${core} (.*)$`, "m").exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? "";
  return (Number(line.split(" ")[7] ?? 0) / ticksPerSecond) * 1000;
}

/** The first child of a process, null if it has none: of nginx's master, the worker that does the work. */
export function firstChild(pid: number): number | null {
  const children = readProcess(pid, `task/${pid}/children`).trim();
  return children === "" ? null : Number(children.split(" ")[0]);
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (error) {
    throw new Error(`process ${pid}, which was being measured, has ended`, { cause: error });
  }
}

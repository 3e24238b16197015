import { existsSync, readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

/** The tools of this machine for measuring. */
export interface Machine {
  readonly processor: string;
  /** Numbers of the cores that this process may use: a container often has fewer than the machine. */
  readonly cores: readonly number[];
  readonly memoryGigabytes: number;
  /** Paths of the programs, null if absent. */
  readonly nginx: string | null;
  readonly wrk: string | null;
  readonly taskset: string | null;
  /** Modules of nginx with which it can send chunk after chunk, in loading order; null if absent. */
  readonly echoModules: readonly string[] | null;
}

const moduleFolder = "/usr/lib/nginx/modules";

export function inspectMachine(): Machine {
  if (process.platform !== "linux") throw new Error("the benchmark reads /proc and needs Linux");
  return {
    processor: cpus()[0]?.model ?? "unknown processor",
    cores: allowedCores(),
    memoryGigabytes: Math.round(totalmem() / 1e9),
    nginx: Bun.which("nginx") ?? existing("/usr/sbin/nginx"),
    wrk: Bun.which("wrk"),
    taskset: Bun.which("taskset"),
    echoModules: findEchoModules(),
  };
}

/** The CPUs of each side of the measurement. The sides never share a core if there are two. */
export interface Pinning {
  /** Command words that put a process there. Empty: not pinned. */
  readonly gateway: readonly string[];
  readonly load: readonly string[];
  readonly words: string;
}

/** The same places for every contender, whatever more the machine has. */
export function choosePinning(machine: Machine): Pinning {
  const [first, second] = machine.cores;
  if (machine.taskset === null || second === undefined) {
    const why = machine.taskset === null ? "taskset is absent" : "there is one core";
    return { gateway: [], load: [], words: `nothing is pinned, as ${why}` };
  }
  return {
    gateway: [machine.taskset, "-c", String(first)],
    load: [machine.taskset, "-c", String(second)],
    words: `each gateway with all its threads on core ${first}; upstream and load client on core ${second}`,
  };
}

/** The tools that are missing, and their substitutes. One sentence each. */
export function substitutions(machine: Machine): string[] {
  const words: string[] = [];
  if (machine.nginx === null) words.push("nginx is absent: it is skipped, and ratios to it are not given.");
  if (machine.nginx === null || machine.echoModules === null) {
    words.push("nginx with its echo module is absent: a scripted Bun upstream stands in and may be the bottleneck.");
  }
  if (machine.wrk === null) words.push("wrk is absent: the benchmark's own client makes the full load too.");
  return words;
}

/** Some builds of the echo module need the development kit's module before it, others bring what they need. */
function findEchoModules(): string[] | null {
  const [kit, echo] = [`${moduleFolder}/ndk_http_module.so`, `${moduleFolder}/ngx_http_echo_module.so`];
  if (!existsSync(echo)) return null;
  return existsSync(kit) ? [kit, echo] : [echo];
}

function existing(path: string): string | null {
  return existsSync(path) ? path : null;
}

function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

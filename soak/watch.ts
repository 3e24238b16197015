import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { cpuMicroseconds, residentMegabytes } from "../bench/proc.ts";

/** The operating system's figures about the gateway's process. */
export interface Sample {
  /** Seconds since the load began. */
  readonly at: number;
  readonly residentMegabytes: number;
  readonly openFiles: number;
}

/** An idle process. */
export interface Idleness {
  /** CPU milliseconds a second. */
  readonly cpu: number;
  /** How often a second its event loop was woken: by timers, since nothing else happens. */
  readonly wakes: number;
}

const sampleMs = 1_000;

/** Samples the process once a second until it is told to stop. */
export async function watch(pid: number, isOver: () => boolean): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startedAt = performance.now();
  while (!isOver()) {
    const at = (performance.now() - startedAt) / 1000;
    samples.push({ at, residentMegabytes: residentMegabytes(pid), openFiles: openFiles(pid) });
    await Bun.sleep(sampleMs);
  }
  return samples;
}

export async function idleness(pid: number, seconds: number): Promise<Idleness> {
  const [cpu, wakes] = [cpuMicroseconds(pid), wakesOf(pid)];
  await Bun.sleep(seconds * 1000);
  return { cpu: (cpuMicroseconds(pid) - cpu) / 1000 / seconds, wakes: (wakesOf(pid) - wakes) / seconds };
}

export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Connections of the process to that port of this machine. */
export function connectionsTo(pid: number, port: number): number {
  const own = new Set(readdirSync(`/proc/${pid}/fd`).flatMap((name) => socketOf(`/proc/${pid}/fd/${name}`)));
  const remote = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = ["tcp", "tcp6"].flatMap((file) => readFileSync(`/proc/net/${file}`, "utf8").split("\n").slice(1));
  return lines.filter((line) => {
    const fields = line.trim().split(/\s+/);
    return fields[2]?.endsWith(remote) === true && own.has(fields[9] ?? "");
  }).length;
}

/** The number of a socket behind a descriptor. None if it is something else, or was closed meanwhile. */
function socketOf(path: string): string[] {
  try {
    const number = /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1];
    return number === undefined ? [] : [number];
  } catch {
    return [];
  }
}

/** Of the main thread alone, where the event loop and its timers are. */
function wakesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/task/${pid}/status`, "utf8");
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}

import { mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";

const running = new Set<Subprocess>();
const folders = new Set<string>();
let interrupted = false;
const stopLimitMilliseconds = 5000;

/** The environment of children: without the user's own Tollgate settings, which would lead them to the user's own storage. */
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TOLLGATE_")));

/** A new folder under the temporary directory. It goes with the run. */
export function scratchFolder(prefix = "tollgate-bench-"): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.add(folder);
  return folder;
}

/** Starts a server. What it prints goes to `logFile`, which costs it what a log costs. Stopped with the run at the latest. */
export function startServer(
  command: readonly string[],
  logFile: string,
  environment: Record<string, string> = {},
): Subprocess {
  const log = openSync(logFile, "a");
  const server = Bun.spawn([...command], {
    stdin: "ignore",
    stdout: log,
    stderr: log,
    env: { ...inherited, ...environment },
  });
  return track(server);
}

/** Runs a program to its end and returns what it printed. Throws with its own words if it fails. */
export async function run(command: readonly string[]): Promise<string> {
  const program = track(Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "pipe", env: inherited }));
  const [output, errors] = await Promise.all([text(program.stdout), text(program.stderr), program.exited]);
  if (program.exitCode !== 0) throw new Error(`${command.join(" ").slice(0, 200)} failed: ${errors || output}`);
  return output;
}

/** Starts a program whose output is read while it runs. */
export function startProgram(command: readonly string[]): Subprocess<"ignore", "pipe", "inherit"> {
  const program = Bun.spawn([...command], { stdin: "ignore", stdout: "pipe", stderr: "inherit", env: inherited });
  track(program);
  return program;
}

/** Asks a process to stop, and makes it after a while. */
export async function stop(process: Subprocess): Promise<void> {
  process.kill("SIGTERM");
  const force = setTimeout(() => process.kill("SIGKILL"), stopLimitMilliseconds);
  await process.exited;
  clearTimeout(force);
}

/** Ends all that this run started and removes what it wrote. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...running].map(stop));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}

/** Ctrl-C leaves nothing behind either. */
export function cleanUpOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      interrupted = true;
      void cleanUp().finally(() => process.exit(130));
    });
  }
}

/** Whether a signal is ending this run: what fails from then on fails because of it. */
export function isInterrupted(): boolean {
  return interrupted;
}

function track<Kind extends Subprocess>(child: Kind): Kind {
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
}

function text(stream: ReadableStream<Uint8Array> | number | undefined): Promise<string> {
  return stream instanceof ReadableStream ? new Response(stream).text() : Promise.resolve("");
}

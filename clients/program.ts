import { join } from "node:path";

export interface ProgramOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: the cell's folder. */
  readonly cwd?: string;
  readonly stdin?: string;
}

export interface ProgramOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly home: string;
  /** The address of a proxy that refuses every connection. */
  readonly proxyUrl: string;
  readonly signal: AbortSignal;
}

const maxOutputBytes = 4 * 1024 * 1024;

/** Runs a program to its end. Its whole process group is killed when the signal aborts, and then this throws. */
export async function runProgram(
  command: readonly string[],
  options: ProgramOptions,
  surroundings: Surroundings,
): Promise<ProgramOutput> {
  const program = startProgram(command, options, surroundings);
  try {
    const output = await program.ended;
    if (surroundings.signal.aborted) throw new Error(`out of time: ${tail(output.stderr)} ${tail(output.stdout)}`);
    return output;
  } finally {
    program.kill();
  }
}

/**
 * Runs a server while `use` runs, which is called once the server answers.
 * @param url what it must answer with success
 * @throws Error with the end of the server's output if it ends before it answers, or if `use` throws
 */
export async function withServer<Result>(
  command: readonly string[],
  url: string,
  options: ProgramOptions,
  surroundings: Surroundings,
  use: () => Promise<Result>,
): Promise<Result> {
  const program = startProgram(command, options, surroundings);
  try {
    await waitUntilOk(url, program, surroundings.signal);
    return await use();
  } catch (error) {
    program.kill();
    const { stdout, stderr } = await program.ended;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}; the server: ${tail(stderr)} ${tail(stdout)}`, { cause: error });
  } finally {
    program.kill();
    await program.ended;
  }
}

async function waitUntilOk(url: string, program: Program, signal: AbortSignal): Promise<void> {
  while (!(await fetch(url, { signal }).catch(() => null))?.ok) {
    if (!program.isRunning()) throw new Error("the server ended before it answered");
    await Bun.sleep(50);
  }
}

interface Program {
  isRunning(): boolean;
  readonly ended: Promise<ProgramOutput>;
  /** Kills its process group. */
  kill(): void;
}

function startProgram(
  command: readonly string[],
  { environment = {}, cwd, stdin = "" }: ProgramOptions,
  { home, proxyUrl, signal }: Surroundings,
): Program {
  const child = Bun.spawn([...command], {
    cwd: cwd ?? home,
    env: { ...isolated(home, proxyUrl), ...environment },
    stdin: new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const kill = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group has ended.
    }
  };
  signal.addEventListener("abort", kill);
  const ended = Promise.all([read(child.stdout), read(child.stderr), child.exited]).then(
    ([stdout, stderr, exitCode]) => ({ stdout, stderr, exitCode }),
  );
  return {
    isRunning: () => child.exitCode === null && child.signalCode === null,
    ended: ended.finally(() => signal.removeEventListener("abort", kill)),
    kill,
  };
}

/** The end of an output, on one line, as a reason for a failure. */
export function tail(output: string, characters = 600): string {
  return output.trim().slice(-characters).replaceAll(/\s+/g, " ");
}

/** Nothing of the user's own settings, and only the local host to be reached. */
function isolated(home: string, proxyUrl: string): Record<string, string> {
  const hosts = "127.0.0.1,localhost";
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_STATE_HOME: join(home, ".local/state"),
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    SHELL: "/bin/sh",
    DO_NOT_TRACK: "1",
    HTTP_PROXY: proxyUrl,
    HTTPS_PROXY: proxyUrl,
    ALL_PROXY: proxyUrl,
    http_proxy: proxyUrl,
    https_proxy: proxyUrl,
    all_proxy: proxyUrl,
    NO_PROXY: hosts,
    no_proxy: hosts,
  };
}

async function read(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of stream) {
    if (text.length < maxOutputBytes) text += decoder.decode(bytes, { stream: true });
  }
  return text;
}

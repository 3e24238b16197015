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
  { environment = {}, cwd, stdin = "" }: ProgramOptions,
  { home, proxyUrl, signal }: Surroundings,
): Promise<ProgramOutput> {
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
  try {
    const [stdout, stderr, exitCode] = await Promise.all([read(child.stdout), read(child.stderr), child.exited]);
    if (signal.aborted) throw new Error(`out of time: ${tail(stderr)} ${tail(stdout)}`);
    return { exitCode, stdout, stderr };
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
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

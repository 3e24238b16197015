import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const launcher = join(import.meta.dir, "../../bin/tollgate");

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandDirectory {
  readonly directory: string;
  /** Starts the program; standard output and error are pipes. */
  start(words: readonly string[], environment?: Record<string, string>): Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** Runs the program to its end. `input` is its standard input. */
  run(words: readonly string[], environment?: Record<string, string>, input?: string): Promise<Ended>;
  remove(): Promise<void>;
}

/** A temporary directory to run the program in, without the TOLLGATE_ variables of this process. */
export async function createCommandDirectory(): Promise<CommandDirectory> {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-command-"));
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TOLLGATE_")));
  const spawn = <Input extends "ignore" | Blob>(
    words: readonly string[],
    environment: Record<string, string>,
    stdin: Input,
  ) =>
    Bun.spawn([launcher, ...words], {
      cwd: directory,
      env: { ...inherited, ...environment },
      stdin,
      stdout: "pipe",
      stderr: "pipe",
    });
  return {
    directory,
    start: (words, environment = {}) => spawn(words, environment, "ignore"),
    async run(words, environment = {}, input = "") {
      const process = spawn(words, environment, new Blob([input]));
      const [stdout, stderr, exitCode] = await Promise.all([
        process.stdout.text(),
        process.stderr.text(),
        process.exited,
      ]);
      return { exitCode, stdout, stderr };
    },
    remove: () => rm(directory, { recursive: true }),
  };
}

/** Reads a stream until its text matches, and returns the match. */
export async function readUntil(stream: ReadableStream<Uint8Array>, pattern: RegExp): Promise<RegExpExecArray> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const match = pattern.exec(text);
    if (match !== null) {
      reader.releaseLock();
      return match;
    }
    const { done, value } = await reader.read();
    if (done) throw new Error(`The output ended without ${pattern}: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
}

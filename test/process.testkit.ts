import { createServer } from "node:net";
import { join } from "node:path";

const launcher = join(import.meta.dir, "..", "bin", "tollgate");

/** A gateway in its own process. */
export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  /** The output so far, of both streams. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number>;
}

/** Runs `tollgate start` with a configuration file and waits until it answers. Rejects with its output if it exits. */
export async function startProcess(
  configFile: string,
  port: number,
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const env = { ...process.env, ...environment };
  const child = Bun.spawn([launcher, "start", "--config", configFile], { cwd, env, stdout: "pipe", stderr: "pipe" });
  let output = "";
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) output += decoder.decode(bytes, { stream: true });
  };
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)]);
  const url = `http://127.0.0.1:${port}`;
  let ended = false;
  const exited = child.exited.then(async (code) => {
    ended = true;
    await collected;
    return code;
  });
  while (!(await answers(url))) {
    if (ended) throw new Error(`The gateway ended before it answered:\n${output}`);
    await Bun.sleep(2);
  }
  return { url, pid: child.pid, output: () => output, kill: (signal) => child.kill(signal), exited };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}

/** A free port. */
export async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer();
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
  });
  return promise;
}

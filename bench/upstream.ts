import { join } from "node:path";
import type { Machine, Pinning } from "./machine.ts";
import { startNginx } from "./nginx.ts";
import { answerBody, chunkPauseSeconds, heldChunk, heldStreamSeconds, streamChunks } from "./payload.ts";
import { freePort, waitForPort } from "./ports.ts";
import { startServer } from "./processes.ts";

export interface Upstream {
  readonly port: number;
  readonly words: string;
}

/** What the upstream answers is chosen by path, so that it need not read what it is asked. */
export const upstreamBase = { json: "/json/v1", stream: "/stream/v1", held: "/held/v1" } as const;
export type Answering = keyof typeof upstreamBase;

export const chatPath = "/chat/completions";

/** Starts the server that all contenders stand before. It does as little as can be, and never more for one than another. */
export async function startUpstream(machine: Machine, pinning: Pinning, folder: string): Promise<Upstream> {
  const { nginx, echoModules } = machine;
  if (nginx !== null && echoModules !== null) {
    const setup = { program: nginx, place: pinning.load, folder: join(folder, "upstream"), modules: echoModules };
    const { port } = await startNginx({ ...setup, server: locations() });
    return { port, words: "nginx, fixed answers" };
  }
  const port = freePort();
  const program = join(import.meta.dir, "scripted-upstream.ts");
  const server = startServer([...pinning.load, process.execPath, program, String(port)], join(folder, "upstream.log"));
  await waitForPort(port, () => (server.exitCode === null ? null : "the scripted upstream did not start"));
  return { port, words: "scripted Bun server" };
}

function locations(): string {
  const chunks = streamChunks().map((chunk) => `${echo(chunk)} echo_flush;`);
  const held = `${echo(heldChunk())} echo_flush; echo_sleep 1;\n`;
  return `
    location ${upstreamBase.json}/ { default_type application/json; return 200 '${answerBody()}'; }
    location ${upstreamBase.stream}/ {
      default_type text/event-stream;
      ${chunks.join(` echo_sleep ${chunkPauseSeconds};\n`)}
    }
    location ${upstreamBase.held}/ {
      default_type text/event-stream;
      ${held.repeat(heldStreamSeconds)}
    }`;
}

/** nginx's `echo -n` with the text as it is: the answers hold no quote mark that would need escaping. */
function echo(text: string): string {
  return `echo -n '${text}';`;
}

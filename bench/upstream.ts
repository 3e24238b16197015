import { join } from "node:path";
import type { Machine, Pinning } from "./machine.ts";
import { startNginx } from "./contenders/nginx.ts";
import type { Answering, Dialect } from "./payload/dialect.ts";
import { answers, dialects } from "./payload/dialects.ts";
import { heldChunk } from "./payload/openai-chat.ts";
import { searchAnswers, searchPrefix, searchProviders } from "./payload/search.ts";
import { chunkPauseSeconds, heldStreamSeconds } from "./payload/words.ts";
import { waitForPort } from "./ports.ts";
import { freePort } from "../scripts/free-port.ts";
import { startServer } from "./processes.ts";

export interface Upstream {
  readonly port: number;
  readonly words: string;
}

/** The prefix of the path selects the upstream's answer, so that it need not read the request. */
export function upstreamPrefix(dialect: Dialect, answering: Answering): string {
  return `/${dialect}/${answering}`;
}

/** The URL of chat completions without a gateway. */
export function plainPath(answering: Answering): string {
  return `${upstreamPrefix("openai-chat", answering)}/v1/chat/completions`;
}

/** Starts the server that all contenders stand before. It does as little as can be, and never more for one than another. It listens on `at`, or on a free port if that is null. */
export async function startUpstream(
  machine: Machine,
  pinning: Pinning,
  folder: string,
  at: number | null = null,
): Promise<Upstream> {
  const { nginx, echoModules } = machine;
  if (nginx !== null && echoModules !== null) {
    const setup = {
      program: nginx,
      place: pinning.load,
      folder: join(folder, "upstream"),
      modules: echoModules,
      port: at,
    };
    const { port } = await startNginx({ ...setup, server: locations() });
    return { port, words: "nginx, fixed answers" };
  }
  const port = at ?? freePort();
  const program = join(import.meta.dir, "scripted-upstream.ts");
  const server = startServer([...pinning.load, process.execPath, program, String(port)], join(folder, "upstream.log"));
  await waitForPort(port, () => (server.exitCode === null ? null : "the scripted upstream did not start"));
  return { port, words: "scripted Bun server" };
}

function locations(): string {
  const held = `${echo(heldChunk)} echo_sleep 1;\n`.repeat(heldStreamSeconds);
  return [
    ...dialects.map(
      (dialect) => `
    location ${upstreamPrefix(dialect, "json")}/ {
      default_type application/json;
      return 200 '${answers[dialect].whole}';
    }`,
    ),
    ...searchProviders.map(
      (provider) => `
    location ${searchPrefix(provider)}/ {
      default_type application/json;
      ${returnLong(searchAnswers[provider])}
    }`,
    ),
    ...dialects.map((dialect) => streamLocation(dialect, "stream", streamed(answers[dialect].pieces))),
    streamLocation("openai-chat", "burst", burst(answers["openai-chat"].pieces)),
    streamLocation("openai-chat", "held", held),
  ].join("\n");
}

/** A parameter of nginx's configuration has at most 4,096 bytes. */
function returnLong(text: string): string {
  const pieces = text.match(/.{1,3000}/g) ?? [];
  const variables = pieces.map((piece, index) => `set $piece${index} '${piece}';`);
  return `${variables.join("\n")} return 200 '${pieces.map((_, index) => `\${piece${index}}`).join("")}';`;
}

function streamLocation(dialect: Dialect, answering: Answering, script: string): string {
  return `location ${upstreamPrefix(dialect, answering)}/ { default_type text/event-stream; ${script} }`;
}

function streamed(pieces: readonly string[]): string {
  return pieces.map(echo).join(` echo_sleep ${chunkPauseSeconds};\n`);
}

/** Pieces without a pause; nginx chooses what goes into one packet. */
function burst(pieces: readonly string[]): string {
  return `${pieces.map(print).join(" ")} echo_flush;`;
}

/** nginx takes no longer words in its configuration than 4 kB. */
const words = /[^]{1,3000}/g;

/** One flushed piece, the text as it is: the answers hold no quote mark and no backslash that would need escaping. */
function echo(text: string): string {
  return `${print(text)} echo_flush;`;
}

function print(text: string): string {
  const parts = text.match(words) ?? [];
  return parts.map((part) => `echo -n '${part}';`).join(" ");
}

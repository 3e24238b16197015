import { afterEach, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { createHttpClient } from "./client.ts";
import type { HttpClient, Origin } from "./exchange.ts";
import { originOf, serve, stopServers, Told, type ServedConnection } from "./http.testkit.ts";
import { scriptOf, type Script } from "./answers.testkit.ts";

afterEach(stopServers);

interface Outcome {
  readonly ok: boolean;
  readonly status: number;
  readonly body: string;
  readonly headers: readonly (string | null)[];
  /** Why it failed. */
  readonly reason: string;
}

const comparedHeaders = ["content-type", "x-request-id", "x-dup", "server", "X-Odd!#$%&'*+-.^_`|~", "x-absent"];
const failed = (reason: string): Outcome => ({ ok: false, status: 0, body: "", headers: [], reason });

async function byOurs(client: HttpClient, origin: Origin, { method }: Script, path: string): Promise<Outcome> {
  const told = new Told();
  client.send(origin, `${method} ${path} HTTP/1.1\r\nhost: ${origin.host}\r\n`, method === "POST" ? "{}" : null, told);
  await told.done;
  if (told.failure !== null) return failed(told.failure.message);
  const headers = comparedHeaders.map((name) => told.headers?.get(name) ?? null);
  return { ok: true, status: told.status, body: Buffer.concat(told.pieces).toString("latin1"), headers, reason: "" };
}

const decompressors: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

async function byFetch(url: string, { method }: Script, path: string, keepalive: boolean): Promise<Outcome> {
  try {
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      // Bun's own decompression writes to the console if it fails.
      decompress: false,
      keepalive,
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    const coding = response.headers.get("content-encoding");
    const bytes = Buffer.from(await response.arrayBuffer());
    const decompress = coding === null || bytes.length === 0 ? undefined : decompressors[coding];
    const body = (decompress?.(bytes) ?? bytes).toString("latin1");
    const headers = comparedHeaders.map((name) => response.headers.get(name));
    return { ok: true, status: response.status, body, headers, reason: "" };
  } catch (error) {
    return failed(error instanceof Error && "code" in error ? String(error.code) : String(error));
  }
}

function play({ socket }: ServedConnection, { pieces, ending }: Script): void {
  let next = 0;
  const step = () => {
    const piece = pieces[next++];
    if (piece === undefined) {
      if (ending === "close") socket.end();
      return;
    }
    if (piece.length > 0) socket.write(piece);
    if (next === pieces.length) step();
    else setImmediate(step);
  };
  step();
}

/** Ways in which ours is stricter than fetch: by what it says, or what was done to the answer. */
const refusedByUsAlone: readonly RegExp[] = [
  // Versions other than 1.0 and 1.1, and a status below 100 or above 599.
  /status line/,
  // Control characters, and lines that end without a carriage return.
  /control character/,
  /both a Content-Length and a Transfer-Encoding/,
  /conflicting Content-Lengths/,
  /Transfer-Encoding, but speaks HTTP\/1\.0/,
  /Transfer-Encoding is not chunked/,
  /Content-Encoding is not known/,
  // Bun takes a zstd body that is cut for a whole one.
  /compressed body breaks off/,
];

/** The difference between the two answers to a script; null if there is none, or if it is intended. */
function difference(script: Script, ours: Outcome, fetched: Outcome): string | null {
  if (ours.ok && fetched.ok) {
    return JSON.stringify(ours) === JSON.stringify(fetched) ? null : "they read different answers";
  }
  if (!ours.ok && !fetched.ok) return script.defect === null ? "both refuse a sound answer" : null;
  if (ours.ok) {
    // RFC 9112, section 7.1.1, allows spaces before a chunk extension; fetch does not.
    const spaced = Buffer.concat(script.pieces).includes(" ;");
    return spaced ? null : `fetch alone fails: ${fetched.reason}`;
  }
  // The end of the head is not found if its lines end with line feeds alone.
  if (/broke off/.test(ours.reason) && /line feeds|byte/.test(script.defect ?? "")) return null;
  // Within the trailers, after the last chunk.
  const lastChunk = /\r\n0+(;\w+)?\r\n/.test(Buffer.concat(script.pieces).toString("latin1"));
  if (/broke off/.test(ours.reason) && script.defect === "cut short" && lastChunk) return null;
  // Control characters and single carriage returns in extensions and trailers.
  if (/chunks are malformed/.test(ours.reason) && /byte/.test(script.defect ?? "")) return null;
  // Bytes that follow the end of a compressed body.
  if (/decompressed|compressed body/.test(ours.reason) && script.defect === "something after it") return null;
  return script.defect !== null && refusedByUsAlone.some((reason) => reason.test(ours.reason))
    ? null
    : `ours alone fails: ${ours.reason}`;
}

test("our client and fetch read the same in ten thousand answers of sound and hostile servers", async () => {
  const runs = Number(process.env["FUZZ_RUNS"] ?? 10_000);
  const first = Number(process.env["FUZZ_SEED"] ?? 0);
  const server = serve((connection) => {
    const { received } = connection;
    if (!received.includes("\r\n\r\n") || (received.startsWith("POST") && !received.endsWith("{}"))) return;
    connection.received = "";
    play(connection, scriptOf(Number(/ \/(\d+) /.exec(received)?.[1])));
  });
  const pooling = createHttpClient();
  const origin = originOf(pooling, server.url);
  // It keeps no connection.
  const closing = createHttpClient();
  closing.close();
  const freshOrigin = originOf(closing, server.url);
  const differences: string[] = [];
  let sameAnswers = 0;
  let seed = first;
  const work = async () => {
    while (seed < first + runs) {
      const own = seed++;
      const script = scriptOf(own);
      const path = `/${own}`;
      let outcomes = await Promise.all([
        byOurs(pooling, origin, script, path),
        byFetch(server.url, script, path, true),
      ]);
      // A server that closes without a word after an answer may do so just as the next request is on its way.
      if (difference(script, ...outcomes) !== null) {
        outcomes = await Promise.all([
          byOurs(closing, freshOrigin, script, path),
          byFetch(server.url, script, path, false),
        ]);
      }
      const found = difference(script, ...outcomes);
      if (found !== null) differences.push(`${own} (${script.defect ?? "sound"}): ${found}`);
      else if (outcomes.every(({ ok }) => ok)) sameAnswers++;
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
  expect(differences).toEqual([]);
  // Most of them are sound: it must not agree by refusing everything.
  expect(sameAnswers).toBeGreaterThan(runs / 2);
  pooling.close();
}, 60_000);

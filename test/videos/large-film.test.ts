import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "../../src/access/manage.ts";
import { tester } from "../../src/changes/actor.testkit.ts";
import { systemClock } from "../../src/clock.ts";
import { writeFilm } from "../../src/sandbox/film/write-film.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { freePort, type GatewayProcess, startProcess } from "../process.testkit.ts";
import { until } from "../until.testkit.ts";

/** A film of 200 MB moves less than 40 MB of the gateway's memory, on its way in and out. */

const megabyte = 1_000_000;
const filmBytes = 200 * megabyte;
const small = writeFilm({ prompt: "large", width: 64, height: 64, seconds: 4 });
const piece = Buffer.alloc(1 << 20, 7);

let folder: string;
let gateway: GatewayProcess;
let key: string;
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    if (new URL(request.url).pathname.endsWith("/content")) return new Response(largeFilm(), contentLength);
    return Response.json({
      id: `job-${crypto.randomUUID()}`,
      status: request.method === "POST" ? "queued" : "completed",
    });
  },
});
const contentLength = { headers: { "content-length": String(filmBytes) } };

/** The small film, and a box that says nothing, as it is read. */
function largeFilm(): ReadableStream<Uint8Array> {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(filmBytes - small.length);
  head.write("free", 4, "latin1");
  let left = filmBytes - small.length - head.length;
  return new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.concat([small, head])),
    pull(controller) {
      const next = piece.subarray(0, Math.min(piece.length, left));
      left -= next.length;
      if (next.length > 0) controller.enqueue(next);
      if (left === 0) controller.close();
    },
  });
}

const hashing = new Bun.CryptoHasher("sha256");
for await (const part of largeFilm()) hashing.update(part);
const filmHash = hashing.digest("hex");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-large-film-"));
  const url = `sqlite:${join(folder, "tollgate.db")}`;
  const storage = await openStorage(url);
  const made = await createKey(
    storage.keys,
    {
      name: "k",
      scopes: { models: null, endpoints: null },
      limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
      expiresAt: null,
      admin: false,
    },
    systemClock,
    tester,
  );
  key = made.key;
  await storage.close();
  const port = await freePort();
  const file = join(folder, "tollgate.yaml");
  writeFileSync(
    file,
    `
server: { port: ${port} }
storage: { url: "${url}", journal_dir: "${join(folder, "journal")}" }
blobs: { url: "file:${join(folder, "blobs")}" }
log: { level: error }
providers:
  - { id: large, dialect: openai-chat, base_url: "http://127.0.0.1:${provider.port}/v1" }
models:
  - { id: large, targets: [{ provider: large, model: large }], endpoints: [videos] }
`,
  );
  gateway = await startProcess(file, port, folder, { TOLLGATE_STORAGE_URL: "" });
});
afterAll(async () => {
  gateway.kill("SIGTERM");
  await gateway.exited;
  await provider.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

const residentBytes = () => {
  const [, kilobytes] = /VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1_024;
};
const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${gateway.url}/v1/videos${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });

async function moveFilm(): Promise<number> {
  const body = JSON.stringify({ model: "large", prompt: "A long film." });
  const { id } = (await (await ask("", { method: "POST", body })).json()) as { id: string };
  await until(
    "the film",
    async () => ((await (await ask(`/${id}`)).json()) as { status: string }).status === "completed",
    60_000,
  );
  let bytes = 0;
  const hash = new Bun.CryptoHasher("sha256");
  for await (const part of (await ask(`/${id}/content`)).body ?? []) {
    bytes += part.length;
    hash.update(part);
  }
  expect(hash.digest("hex")).toBe(filmHash);
  expect((await ask(`/${id}`, { method: "DELETE" })).status).toBe(200);
  return bytes;
}

/** By how many bytes the gateway grows at most while a film is moved. */
async function growth(): Promise<number> {
  const before = residentBytes();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, residentBytes())), 2);
  expect(await moveFilm()).toBe(filmBytes);
  clearInterval(timer);
  return most - before;
}

test("a film of 200 MB", async () => {
  // What the first one loads is not a film's.
  expect(await moveFilm()).toBe(filmBytes);
  // When garbage is collected is up to chance: the middle one of three counts.
  const [, middle = 0] = [await growth(), await growth(), await growth()].sort((a, b) => a - b);
  expect(middle).toBeLessThan(40 * megabyte);
}, 120_000);

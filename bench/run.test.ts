import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectMachine } from "./machine.ts";
import { startNginx } from "./contenders/nginx.ts";
import { freePort } from "../scripts/free-port.ts";
import { cleanUp } from "./processes.ts";
import type { Results } from "./results/results.ts";

let folder = "";
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "tollgate-bench-test-"))));
afterAll(async () => {
  await cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

const nginx = process.platform === "linux" ? inspectMachine().nginx : null;

async function quickRun(options: readonly string[]): Promise<{ readonly results: Results; readonly output: string }> {
  const file = join(folder, "results.json");
  const command = [process.execPath, join(import.meta.dir, "run.ts"), "--quick", "--json", file, ...options];
  const bench = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(bench.stdout).text(),
    new Response(bench.stderr).text(),
    bench.exited,
  ]);
  expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
  return { results: JSON.parse(readFileSync(file, "utf8")) as Results, output };
}

/** Its figures mean nothing beside other tests; that every request has its record does. */
test.skipIf(process.platform !== "linux")(
  "a quick run measures every section and finds as many records as requests",
  async () => {
    const { results } = await quickRun([]);
    expect(results.records.tollgate).toMatchObject({ drained: { answered: 1020, records: 1020 }, equal: true });
    for (const measured of [
      results.json,
      results.streams,
      results.burst,
      results.latency,
      results.memory,
      results.translation,
      results.search,
      results.routing,
      results.loop,
      results.attacks,
      results.start,
    ]) {
      expect(measured).not.toBeNull();
    }
    expect(results.loop?.holds.every(({ report }) => report.turns > 50)).toBe(true);
    expect(results.loop?.allocation.bytes).toBeWithin(100, 1e6);
  },
  120_000,
);

/** An nginx stands in for the peer: whatever forwards chat completions to the benchmark's upstream. */
test.skipIf(nginx === null)(
  "a run sets another checkout and a peer beside Tollgate, with records of both checkouts",
  async () => {
    const upstreamPort = freePort();
    const peer = await startNginx({
      program: nginx ?? "",
      place: [],
      folder: join(folder, "peer"),
      server: `location /v1/ { rewrite ^/v1/([a-z]+)/(.*)$ /openai-chat/$1/v1/$2 break;
        proxy_pass http://127.0.0.1:${upstreamPort}; proxy_buffering off; proxy_http_version 1.1; }`,
    });
    const { results, output } = await quickRun([
      "--only=json,burst,memory,start",
      `--upstream-port=${upstreamPort}`,
      `--before=${join(import.meta.dir, "../bin/tollgate")}`,
      `--peer=other=http://127.0.0.1:${peer.port}/v1/{kind},pid=${peer.pid}`,
      `--peer=unseen=http://127.0.0.1:${peer.port}/v1/{kind}`,
    ]);
    const names = ["direct", "nginx", "tollgate", "before", "other", "unseen"];
    expect(Object.keys(results.json ?? {})).toEqual(names);
    expect(Object.keys(results.burst ?? {})).toEqual(names);
    expect(results.json?.other?.cpuMicroseconds).toBeGreaterThan(0);
    expect(results.json?.unseen?.cpuMicroseconds).toBeNull();
    expect(results.json?.unseen?.perSecond).toBeGreaterThan(0);
    expect(Object.keys(results.memory ?? {})).toEqual(["nginx", "tollgate", "before", "other"]);
    expect(Object.keys(results.start ?? {})).toEqual(["tollgate", "before"]);
    expect(results.records.tollgate).toMatchObject({ drained: { answered: 1020, records: 1020 }, equal: true });
    expect(results.records.before).toMatchObject({ drained: { answered: 1020, records: 1020 }, equal: true });
    expect(output).toMatch(/^ {2}before +\d/m);
  },
  120_000,
);

import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCommandDirectory, type CommandDirectory } from "../../src/commands/command.testkit.ts";
import { rowToRecord } from "../../src/storage/record-row.ts";
import type { RequestRow } from "../../src/storage/schema.ts";
import { createInstallation, type Installation } from "../installation.testkit.ts";

/** Graceful stop and failed starts of a gateway in its own process. */

let installation: Installation;
afterEach(() => installation.remove());

const requestId = (response: Response) => response.headers.get("x-service-request-id") ?? "";

/** Reads the record from the storage after the gateway has exited. */
const recordOf = (response: Response) => installation.storage.records.find(installation.keyId, requestId(response));

async function untilArrived(count: number): Promise<void> {
  await installation.sandbox.waitFor((requests) => requests.length >= count);
}

describe("SIGTERM", () => {
  test("running requests finish, new ones get a 503 with Retry-After, and every record is stored", async () => {
    installation = await createInstallation();
    const gateway = await installation.start();
    const stream = await installation.chat({ stream: true, sandbox: { chunks: 12, chunk_delay_ms: 50 } });
    const asked = installation.chat({ sandbox: { latency_ms: 400, text: "Late, and whole." } });
    await untilArrived(2);
    gateway.kill("SIGTERM");
    const refused = await untilRefused();
    expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(await refused.json()).toMatchObject({
      error: { type: "overloaded_error", code: "draining", request_id: requestId(refused) },
    });
    const ready = await fetch(`${gateway.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ status: "not_ready", draining: true });

    const answer = await asked;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "Late, and whole." } }] });
    expect(await stream.text()).toEndWith("data: [DONE]\n\n");
    expect(await gateway.exited).toBe(0);
    expect(installation.sandbox.requests.length).toBe(2);
    for (const response of [answer, stream]) expect(await recordOf(response)).toMatchObject({ status: "succeeded" });
    expect(await recordOf(refused)).toBeNull();
  });

  test.each([
    ["JSON answers", false],
    ["streams", true],
  ])("the last bytes of %s are sent", async (_name, stream) => {
    installation = await createInstallation();
    const gateway = await installation.start();
    const text = "All of it. ".repeat(20_000);
    const asked = Array.from({ length: 8 }, async () => {
      const response = await installation.chat({ stream, sandbox: { latency_ms: 200, text, chunks: 3 } });
      return { response, body: await response.text() };
    });
    await untilArrived(8);
    gateway.kill("SIGTERM");
    const answers = await Promise.all(asked);
    expect(await gateway.exited).toBe(0);
    for (const { response, body } of answers) {
      if (stream) expect(body).toEndWith("data: [DONE]\n\n");
      else expect(JSON.parse(body)).toMatchObject({ choices: [{ message: { content: text } }] });
      expect(await recordOf(response)).toMatchObject({ status: "succeeded" });
    }
  });

  test("after the drain time the rest is cut off, with free records", async () => {
    installation = await createInstallation({ server: "drain_ms: 300" });
    const gateway = await installation.start();
    const stall = (at: string) => ({ fault: { kind: "stall", at, after: 3 } });
    const stream = await installation.chat({ stream: true, sandbox: stall("body") });
    const read = stream.text().catch(() => "cut off");
    const asked = installation.chat({ sandbox: stall("headers") }).catch(() => null);
    await untilArrived(2);
    const signalledAt = performance.now();
    gateway.kill("SIGTERM");
    expect(await gateway.exited).toBe(0);
    expect(performance.now() - signalledAt).toBeWithin(300, 3_000);
    expect(await read).not.toContain("[DONE]");
    await asked;

    const cut = { status: "failed", error: { type: "overloaded_error", code: "draining" } };
    expect(await recordOf(stream)).toMatchObject({ ...cut, stream: true, billing: { amountMicrousd: 0 } });
    const database = new Database(join(installation.folder, "tollgate.db"), { readonly: true });
    const rows = database.query<RequestRow, []>("SELECT * FROM requests").all();
    database.close();
    const records = rows.map(rowToRecord);
    expect(new Set(records.map(({ stream }) => stream))).toEqual(new Set([false, true]));
    expect(records).toHaveLength(2);
    for (const { status, error, billing } of records) {
      expect([status, error?.code, billing.amountMicrousd]).toEqual(["failed", "draining", 0]);
    }
  });

  test("idle connections do not delay the stop", async () => {
    installation = await createInstallation();
    const gateway = await installation.start();
    await (await installation.chat()).arrayBuffer();
    const signalledAt = performance.now();
    gateway.kill("SIGTERM");
    expect(await gateway.exited).toBe(0);
    expect(performance.now() - signalledAt).toBeLessThan(1_500);
  });
});

describe("SIGINT", () => {
  test("stops like SIGTERM", async () => {
    installation = await createInstallation();
    const gateway = await installation.start();
    const asked = installation.chat({ sandbox: { latency_ms: 200 } });
    await untilArrived(1);
    gateway.kill("SIGINT");
    const answer = await asked;
    expect(answer.status).toBe(200);
    expect(await gateway.exited).toBe(0);
    expect(await recordOf(answer)).toMatchObject({ status: "succeeded" });
  });

  test("a second signal stops at once, and completed requests have records", async () => {
    installation = await createInstallation();
    const gateway = await installation.start();
    const complete = await installation.chat();
    await complete.arrayBuffer();
    const stream = await installation.chat({
      stream: true,
      sandbox: { fault: { kind: "stall", at: "body", after: 2 } },
    });
    const read = stream.text().catch(() => "cut off");
    gateway.kill("SIGINT");
    await untilRefused();
    gateway.kill("SIGINT");
    expect(await gateway.exited).toBe(130);
    await read;
    // It may not have got as far as the storage: the next start brings it in.
    await installation.start();
    expect((await installation.look(requestId(complete))).status).toBe(200);
  });
});

/** The first answer of a gateway that is stopping. */
async function untilRefused(): Promise<Response> {
  const deadline = performance.now() + 3_000;
  while (performance.now() < deadline) {
    const response = await installation.chat({ model: "nobody" });
    if (response.status === 503) return response;
    await response.arrayBuffer();
  }
  throw new Error("The gateway let new requests in.");
}

describe("a failed start", () => {
  let directory: CommandDirectory;

  /** Runs `tollgate start` until it exits. */
  async function start(yaml: string) {
    installation = await createInstallation();
    directory = await createCommandDirectory();
    const path = join(directory.directory, "tollgate.yaml");
    writeFileSync(path, yaml.replaceAll("FOLDER", installation.folder));
    try {
      return await directory.run(["start", "--config", path]);
    } finally {
      await directory.remove();
    }
  }

  const failure = (stderr: string) => ({ exitCode: 1, stdout: "", stderr });

  test("a port in use by another gateway", async () => {
    const first = await createInstallation();
    const { url } = await first.start();
    const ended = await start(`{ server: { port: ${new URL(url).port} } }`);
    await first.remove();
    expect(ended).toEqual(failure(expect.stringMatching(/^tollgate: cannot listen on .*: the port is in use\..*\n$/)));
  });

  test("a storage newer than the program", async () => {
    const made = await createInstallation();
    await made.storage.close();
    const path = join(made.folder, "tollgate.db");
    const database = new Database(path);
    database.run("INSERT INTO migrations (version, applied_at) VALUES (999, 0)");
    database.close();
    const ended = await start(`{ server: { port: 0 }, storage: { url: "sqlite:${path}" } }`);
    await made.remove();
    expect(ended).toEqual(
      failure(expect.stringMatching(/^tollgate: The storage was made by a newer version of Tollgate.*\n$/)),
    );
  });

  test.each([
    ["of the storage", `url: "sqlite:FOLDER/tollgate.yaml/deeper/tollgate.db"`, "The SQLite file"],
    [
      "of the journal",
      `url: "sqlite:FOLDER/other.db", journal_dir: "FOLDER/tollgate.yaml/journal"`,
      "The journal's folder",
    ],
  ])("a folder %s that cannot be written to", async (_name, storage, what) => {
    const ended = await start(`{ server: { port: 0 }, storage: { ${storage} } }`);
    expect(ended).toEqual(failure(expect.stringMatching(new RegExp(`^tollgate: ${what} .*tollgate.yaml.*\\n$`))));
  });

  test("a Postgres that does not answer", async () => {
    const ended = await start(
      `{ server: { port: 0 }, storage: { url: "postgres://user:hidden@127.0.0.1:1/tollgate" } }`,
    );
    expect(ended).toEqual(
      failure(expect.stringMatching(/^tollgate: Postgres at postgres:\/\/user@127.0.0.1:1\/tollgate .*\n$/)),
    );
    expect(ended.stderr).not.toContain("hidden");
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createDialects } from "../../src/dialects/dialect.ts";
import { dialects } from "../../src/dialects/registry.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { until } from "../until.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { toy } from "./dialect.ts";
import { startToyUpstream, type ToyUpstream } from "./upstream.testkit.ts";

/**
 * A new vendor with one operation of each kind (JSON, multipart in, bytes out, a job) is one folder and one line in the
 * registry: the path takes it as it is, through scopes, limits, routing, retries, charge and record.
 */
let upstream: ToyUpstream;
let gateway: TestGateway;

const operations = ["toy_reverse", "toy_measure", "toy_draw", "toy_jobs"];

beforeAll(async () => {
  upstream = startToyUpstream();
  const target = { provider: "toy", model: "toy-1" };
  gateway = await startTestGateway({
    dialects: createDialects([...dialects.all, toy]),
    providers: () => [{ id: "toy", dialects: ["toy"], baseUrl: upstream.url, apiKeys: ["toy-key"] }],
    models: [
      {
        id: "toy",
        targets: [target],
        endpoints: operations,
        retry: { attempts: 3, budgetMs: 5_000, on: ["server_error"] },
        prices: { character: 2_000_000, second: 1_000, image: 40_000, video_second: 100_000 },
      },
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  upstream.stop();
});

const json = (path: string, body: object, headers: Record<string, string> = {}) =>
  gateway.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

function fileForm(bytes: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  form.set("model", "toy");
  form.set("file", new Blob([bytes]), "sound.raw");
  return form;
}

describe("JSON in, JSON out", () => {
  test("is served, signed as its dialect says, charged and recorded", async () => {
    const response = await json("/v1/toy/reverse", { model: "toy", text: "héllo" });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ text: "olléh" });
    expect(upstream.requests.at(-1)).toMatchObject({ path: "/reverse", query: "token=toy-key" });
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      endpoint: "/v1/toy/reverse",
      usage: { dimensions: [{ name: "character", quantity: 5, unit: "character" }] },
      billing: { status: "charged", amount_microusd: 10 },
      provider_usage: { family: "toy" },
    });
  });

  test("a bad body is a 400 that names the field", async () => {
    const response = await json("/v1/toy/reverse", { model: "toy", text: 5 });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: "text" } }]);
  });

  test("is repeated after a fault, and charged once", async () => {
    upstream.failNext(1);
    const response = await json("/v1/toy/reverse", { model: "toy", text: "ab" });
    expect([response.status, response.headers.get("x-service-attempts")]).toEqual([200, "2"]);
    expect(await gateway.record(idOf(response))).toMatchObject({
      billing: { amount_microusd: 4 },
      routing: { attempts: 2 },
    });
  });

  test("an Idempotency-Key gives the first answer again", async () => {
    const headers = { "idempotency-key": "toy-1" };
    const first = await json("/v1/toy/reverse", { model: "toy", text: "once" }, headers);
    const calls = upstream.requests.length;
    const second = await json("/v1/toy/reverse", { model: "toy", text: "once" }, headers);
    expect(await second.json()).toEqual(await first.json());
    expect(upstream.requests.length).toBe(calls);
  });

  test("is within the scope and the limits of a key", async () => {
    const scoped = await gateway.newKey({ scopes: { endpoints: ["chat"] } });
    const limited = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    const ask = (key: string) =>
      json("/v1/toy/reverse", { model: "toy", text: "a" }, { authorization: `Bearer ${key}` });
    expect((await ask(scoped.key)).status).toBe(403);
    expect([(await ask(limited.key)).status, (await ask(limited.key)).status]).toEqual([200, 429]);
  });

  test("is explained", async () => {
    const response = await json("/api/routes/explain?endpoint=toy_reverse", { model: "toy", text: "abc" });
    expect(await response.json()).toMatchObject({ chosen: { model: "toy" }, estimated_amount_microusd: 6 });
  });
});

const sha256Of = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

describe("multipart in", () => {
  test("is read, sent on and charged", async () => {
    const response = await gateway.fetch("/v1/toy/measure", { method: "POST", body: fileForm(new Uint8Array(12)) });
    expect(await response.json()).toEqual({ seconds: 12, sha256: sha256Of(new Uint8Array(12)), filename: "sound.raw" });
    expect(await gateway.record(idOf(response))).toMatchObject({
      usage: { dimensions: [{ name: "second", quantity: 12 }] },
      billing: { amount_microusd: 12_000 },
    });
  });

  test("a large file is sent on from the disk, again after a fault, and is gone afterwards", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(65_536));
    const large = Buffer.concat(Array.from({ length: 100 }, () => bytes));
    upstream.failNext(1);
    const response = await gateway.fetch("/v1/toy/measure", { method: "POST", body: fileForm(large) });
    expect([response.status, response.headers.get("x-service-attempts")]).toEqual([200, "2"]);
    expect(await response.json()).toMatchObject({ seconds: large.length, sha256: sha256Of(large) });
    const scratchFiles = () =>
      readdirSync(join(gateway.folder, "blobs", "scratch")).flatMap((name) =>
        readdirSync(join(gateway.folder, "blobs", "scratch", name)).filter((file) => file !== "lock"),
      );
    await until("the scratch files to be removed", () => scratchFiles().length === 0);
  });

  test("an Idempotency-Key gives the first answer again to the same form under another boundary", async () => {
    const ask = (bytes: Uint8Array<ArrayBuffer>) =>
      gateway.fetch("/v1/toy/measure", {
        method: "POST",
        headers: { "idempotency-key": "toy-form" },
        body: fileForm(bytes),
      });
    const first = await ask(new Uint8Array(7));
    const calls = upstream.requests.length;
    const again = await ask(new Uint8Array(7));
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(await again.json()).toEqual(await first.json());
    expect((await ask(new Uint8Array(8))).status).toBe(409);
    expect(upstream.requests.length).toBe(calls);
  });

  test("another body is a 415, and a form without the file a 400", async () => {
    expect((await json("/v1/toy/measure", { model: "toy" })).status).toBe(415);
    const form = new FormData();
    form.set("model", "toy");
    const response = await gateway.fetch("/v1/toy/measure", { method: "POST", body: form });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: "file" } }]);
  });
});

describe("bytes out", () => {
  test("are passed on as they are, under their own type", async () => {
    const response = await json("/v1/toy/draw", { model: "toy" });
    expect(response.headers.get("content-type")).toBe("image/toy");
    expect(await response.bytes()).toEqual(upstream.picture);
    expect(await gateway.record(idOf(response))).toMatchObject({
      usage: { dimensions: [{ name: "image", quantity: 1 }] },
      billing: { amount_microusd: 40_000 },
    });
  });

  test("that break off break the connection, and cost nothing", async () => {
    upstream.cutNext();
    const response = await json("/v1/toy/draw", { model: "toy" });
    expect(response.bytes()).rejects.toThrow();
    expect(await gateway.eventualRecord(idOf(response) ?? "")).toMatchObject({
      status: "failed",
      billing: { amount_microusd: 0 },
    });
  });
});

describe("a job", () => {
  const read = (id: string) => gateway.fetch(`/v1/toy/jobs/${id}?model=toy`);

  test.each([
    ["succeeded", 800_000, "charged"],
    ["failed", 0, "refunded"],
  ] as const)("is pending until it has %s, then final, once", async (status, amount, billing) => {
    const response = await json("/v1/toy/jobs", { model: "toy" });
    const { id } = (await response.json()) as { id: string };
    const request = idOf(response);
    expect(await gateway.record(request)).toMatchObject({
      status: "pending",
      billing: { status: "pending", amount_microusd: 0 },
    });
    expect(await (await read(id)).json()).toMatchObject({ status: "running" });
    expect(await gateway.record(request)).toMatchObject({ status: "pending" });

    upstream.endJob(id, status);
    expect(await (await read(id)).json()).toMatchObject({ status });
    const final = { status, billing: { status: billing, amount_microusd: amount } };
    expect(await gateway.record(request)).toMatchObject(final);
    upstream.endJob(id, "succeeded");
    await read(id);
    expect(await gateway.record(request)).toMatchObject(final);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway, type TestKey } from "../gateway.testkit.ts";

/** The catalog and the model list of a key. */

const id = "family/sub/model-1";

let gateway: TestGateway;
let narrow: TestKey;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: [
      {
        id,
        name: "Model one",
        description: "Of a family.",
        ownedBy: "family",
        created: 1_754_524_800,
        endpoints: ["chat"],
        parameters: { tools: true, vision: false },
        inputModalities: ["text", "image"],
        contextLength: 400_000,
        maxOutputTokens: 128_000,
        prices: { input: 250_000, cache_read: 25_000, output: 2_000_000 },
        targets: [{ provider: "sandbox", model: "sandbox-chat" }],
      },
      { id: "family/other", prices: {}, targets: [{ provider: "sandbox", model: "sandbox-chat" }] },
    ],
  });
  narrow = await gateway.newKey({ scopes: { models: ["family/*"] } });
});
afterAll(() => gateway.stop());

const as = ({ key }: Pick<TestKey, "key">) => ({ headers: { authorization: `Bearer ${key}` } });

interface List {
  readonly object: string;
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly id: string })[];
}

async function list(path: string, key: Pick<TestKey, "key"> = gateway): Promise<List> {
  const response = await gateway.fetch(path, as(key));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toStartWith("application/json");
  expect(response.headers.get("x-service-request-id")).toStartWith("req_");
  return (await response.json()) as List;
}

describe("the catalog", () => {
  test("contains all fields of a model", async () => {
    const { object, data } = await list("/api/models/catalog");
    expect(object).toBe("list");
    expect(data.find((entry) => entry.id === id)).toEqual({
      id,
      object: "model",
      name: "Model one",
      description: "Of a family.",
      owned_by: "family",
      created: 1_754_524_800,
      supported_endpoint_types: ["chat"],
      parameters: { tools: true, vision: false },
      input_modalities: ["text", "image"],
      output_modalities: ["text"],
      context_length: 400_000,
      max_output_tokens: 128_000,
      pricing: [
        { dimension: "input", unit: "1M_tokens", unit_size: 1_000_000, unit_microusd: 250_000 },
        { dimension: "cache_read", unit: "1M_tokens", unit_size: 1_000_000, unit_microusd: 25_000 },
        { dimension: "output", unit: "1M_tokens", unit_size: 1_000_000, unit_microusd: 2_000_000 },
      ],
      pricing_version: 1,
      aliases: [],
      deprecated_at: null,
    });
    expect(data.find((entry) => entry.id === "family/other")).toMatchObject({ pricing: [] });
  });

  test("contains exactly the models that the key may use", async () => {
    const all = await list("/api/models/catalog");
    expect(all.data.length).toBe(9);
    const own = await list("/api/models/catalog", narrow);
    expect(own.data.map((entry) => entry.id)).toEqual([id, "family/other"]);
  });

  test("answers 304 if the ETag matches", async () => {
    const first = await gateway.fetch("/api/models/catalog");
    await first.arrayBuffer();
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await gateway.fetch("/api/models/catalog", { headers: { "if-none-match": known } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe("");
      expect(again.headers.get("etag")).toBe(etag);
      expect(again.headers.get("x-service-request-id")).toStartWith("req_");
    }
    const other = await gateway.fetch("/api/models/catalog", { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
    await other.arrayBuffer();
    const ofNarrow = await gateway.fetch("/api/models/catalog", {
      headers: { ...as(narrow).headers, "if-none-match": etag },
    });
    expect(ofNarrow.status).toBe(200);
    expect(ofNarrow.headers.get("vary")).toContain("Authorization");
    expect(ofNarrow.headers.get("cache-control")).toContain("private");
  });
});

describe("the model list", () => {
  test("is in OpenAI's format, with the models that the key may use", async () => {
    const own = await list("/v1/models", narrow);
    expect(own.object).toBe("list");
    expect(own.data[0]).toEqual({ id, object: "model", created: 1_754_524_800, owned_by: "family" });
    expect(own.data.length).toBe(2);
  });

  test.each([id, encodeURIComponent(id)])("returns one model by its name: %s", async (name) => {
    const response = await gateway.fetch(`/v1/models/${name}`);
    expect(await response.json()).toEqual({ id, object: "model", created: 1_754_524_800, owned_by: "family" });
  });

  test.each(["nobody", "sandbox-chat", "%", "%00", "family/", "__proto__", "../healthz", "x".repeat(5_000)])(
    "a name that this key does not see is absent: %s",
    async (name) => {
      const response = await gateway.fetch(`/v1/models/${name.replaceAll("..", "%2e%2e%2f")}`, as(narrow));
      expect(response.status).toBe(404);
      const { error } = (await response.json()) as { error: { code: string; param: string; message: string } };
      expect(error).toMatchObject({ code: "model_not_found", param: "model" });
      expect(error.message.length).toBeLessThan(200);
    },
  );
});

test.each(["/api/models/catalog", "/v1/models", `/v1/models/${id}`, "/api/usage/requests/req_x"])(
  "%s requires a key, however it is sent",
  async (path) => {
    const without = await fetch(gateway.url + path);
    expect(without.status).toBe(401);
    expect(await without.json()).toMatchObject({
      error: {
        type: "authentication_error",
        code: "missing_api_key",
        request_id: without.headers.get("x-service-request-id"),
      },
    });
    const statuses = await Promise.all([
      fetch(gateway.url + path, { headers: { "x-api-key": gateway.key } }),
      fetch(gateway.url + path, { headers: { "x-goog-api-key": gateway.key } }),
      fetch(`${gateway.url}${path}?key=${gateway.key}`),
    ]);
    for (const { status } of statuses) expect(status).toBe(path.startsWith("/api/usage") ? 404 : 200);
    expect(JSON.stringify(gateway.log)).not.toContain(gateway.key);
  },
);

test.each(["%00", "%", "%ff", "x".repeat(5_000), "req_%20", "'; drop table requests; --"])(
  "a record id that is none: %s",
  async (name) => {
    const response = await gateway.fetch(`/api/usage/requests/${name}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { type: "not_found_error", code: "request_not_found" } });
  },
);

test("/healthz and /readyz need no key", async () => {
  const health = await fetch(`${gateway.url}/healthz`);
  expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
  const ready = await fetch(`${gateway.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: "ready", draining: false, storage: "ok" }]);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expectDescribed } from "./described.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The OpenAPI document, and whether what it says of the vendors' bodies is what the gateway checks. */

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<string, { readonly post?: { requestBody?: { content: Record<string, { schema: { $ref: string } }> } } }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

let gateway: TestGateway;
let document: Document;
beforeAll(async () => {
  const served = (id: string, endpoint: string, model: string) => ({
    id,
    endpoints: [endpoint],
    targets: [{ provider: "sandbox", model }],
  });
  gateway = await startTestGateway({
    models: [
      served("sandbox-embedding", "embeddings", "sandbox-embedding"),
      served("base", "completions", "sandbox-chat"),
    ],
  });
  document = (await (await fetch(`${gateway.url}/api/openapi.json`)).json()) as Document;
});
afterAll(() => gateway.stop());

test("the document is served without a key, is valid, and is not sent again to a caller that has it", async () => {
  const response = await fetch(`${gateway.url}/api/openapi.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  const etag = response.headers.get("etag") ?? "";
  expect(await response.json()).toEqual(document);
  expect(document.openapi).toBe("3.1.0");
  expect((await new Validator().validate({ ...structuredClone(document) })).valid).toBeTrue();
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await fetch(`${gateway.url}/api/openapi.json`, { headers: { "if-none-match": known } });
    expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: "" });
  }
  const other = await fetch(`${gateway.url}/api/openapi.json`, { headers: { "if-none-match": '"other"' } });
  expect(other.status).toBe(200);
});

describe("answers of the gateway's own paths are as described", () => {
  const chat = { path: "/v1/chat/completions", body: { model: "sandbox-chat", messages: [] } };
  test.each<[string, string, string?, object?]>([
    ["GET", "/"],
    ["GET", "/healthz"],
    ["GET", "/readyz"],
    ["GET", "/v1/models"],
    ["GET", "/v1/models/{id+}", "/v1/models/sandbox-chat"],
    ["GET", "/v1beta/models"],
    ["GET", "/v1beta/models/{id+}", "/v1beta/models/sandbox-chat"],
    ["GET", "/api/models/catalog"],
    ["GET", "/api/account"],
    ["GET", "/api/openapi.json"],
    ["GET", "/api/usage/requests", "/api/usage/requests?limit=2&status=succeeded&from=0&end_user=x"],
    ["GET", "/api/usage/summary", "/api/usage/summary?by=day,model&time_zone=UTC&model=sandbox-chat"],
    [
      "POST",
      "/api/quote",
      "/api/quote",
      { ...chat, body: { ...chat.body, messages: [{ role: "user", content: "a" }] } },
    ],
    [
      "POST",
      "/api/routes/explain",
      "/api/routes/explain?endpoint=chat",
      { model: "sandbox-chat", messages: [{ role: "user", content: "a" }] },
    ],
  ])("%s %s", async (method, path, target = path, body) => {
    const response = await gateway.fetch(target, {
      method,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    expectDescribed(method, path, response.status, await response.json());
  });

  test("the record of a request", async () => {
    const id = (await gateway.chat()).headers.get("x-service-request-id") ?? "";
    const record = await (await gateway.fetch(`/api/usage/requests/${id}`)).json();
    expectDescribed("GET", "/api/usage/requests/{id}", 200, record);
    const { key } = await gateway.newKey({ admin: true });
    const by = { headers: { authorization: `Bearer ${key}` } };
    for (const [path, target] of [
      ["/api/admin/usage/requests", "/api/admin/usage/requests?limit=1"],
      ["/api/admin/usage/summary", "/api/admin/usage/summary?by=model&account=default"],
      ["/api/admin/requests/{id}", `/api/admin/requests/${id}`],
      ["/api/admin/health", "/api/admin/health"],
    ] as const) {
      const response = await gateway.fetch(target, by);
      expectDescribed("GET", path, response.status, await response.json());
    }
  });
});

const text = [{ role: "user", content: "Hello!" }];
const contents = [{ parts: [{ text: "Hello!" }] }];
const model = "sandbox-chat";

/** A request that each operation serves. */
const good: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "/v1/chat/completions": { model, messages: text },
  "/v1/completions": { model: "base", prompt: "Hello!" },
  "/v1/embeddings": { model: "sandbox-embedding", input: "Hello!" },
  "/v1/search": { query: "coffee" },
  "/v1/responses": { model, input: "Hello!" },
  "/v1/responses/input_tokens": { model, input: "Hello!" },
  "/v1/responses/compact": { model, input: "Hello!" },
  "/v1/messages": { model, messages: text, max_tokens: 10 },
  "/v1/messages/count_tokens": { model, messages: text },
  "/v1/models/{model}:generateContent": { contents },
  "/v1/models/{model}:countTokens": { contents },
  "/v1/models/{model}:embedContent": { content: contents[0] },
  "/v1/models/{model}:batchEmbedContents": { requests: [{ model: "sandbox-embedding", content: contents[0] }] },
};

/** A value of a type that a schema does not allow. */
function wrongFor(schema: JsonSchema): unknown {
  const kinds = [schema, ...(schema.anyOf ?? [])].flatMap(({ type = [] }) => type);
  return kinds.includes("object") || kinds.includes("array") ? 5 : { wrong: true };
}

async function send(path: string, body: object): Promise<{ status: number; text: string; attempts: string | null }> {
  const target = path.replace("{model}", path.includes("mbed") ? "sandbox-embedding" : model);
  const response = await gateway.fetch(target, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text(), attempts: response.headers.get("x-service-attempts") };
}

describe.each(Object.entries(good))("%s", (path, body) => {
  const schema = () => {
    const reference = document.paths[path]?.post?.requestBody?.content["application/json"]?.schema.$ref ?? "";
    return document.components.schemas[reference.split("/").at(-1) ?? ""] ?? {};
  };

  test("serves the example", async () => {
    expect(await send(path, body)).toMatchObject({ status: 200 });
  });

  test("refuses a wrong value in each field of the document, naming it, before any provider is asked", async () => {
    const fields = Object.entries(schema().properties ?? {});
    expect(fields.length).toBeGreaterThan(0);
    const unchecked: string[] = [];
    for (const [name, field] of fields) {
      const answer = await send(path, { ...body, [name]: wrongFor(field) });
      const isNamed = answer.status === 400 && answer.text.includes(name) && answer.attempts === "0";
      if (!isNamed) unchecked.push(`${name}: ${answer.status} ${answer.attempts} ${answer.text.slice(0, 120)}`);
    }
    expect(unchecked).toEqual([]);
  });

  test("refuses a body without a required field, naming it", async () => {
    for (const name of schema().required ?? []) {
      const { [name]: _left, ...rest } = body;
      const answer = await send(path, rest);
      expect(answer).toMatchObject({ status: 400 });
      expect(answer.text).toContain(name);
    }
  });
});

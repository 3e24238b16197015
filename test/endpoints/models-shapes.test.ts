import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The list of models in the format of each vendor's SDK. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: [
      { id: "family/chat", name: "Family chat", created: 1_767_225_600, deprecatedAt: 1_798_761_600 },
      { id: "embedder", endpoints: ["embeddings"], contextLength: null, maxOutputTokens: null },
    ],
  });
});
afterAll(() => gateway.stop());

const ids = [
  "sandbox-chat",
  "sandbox-reasoning",
  "sandbox-no-tools",
  "sandbox-speech",
  "sandbox-transcription",
  "sandbox-image",
  "sandbox-video",
  "family/chat",
  "embedder",
];
const anthropic = { "anthropic-version": "2023-06-01" };

/** The fields of all formats; each test checks those that it expects. */
interface AnyShape {
  readonly object: string;
  readonly data: readonly { readonly id: string }[];
  readonly models: readonly object[];
  readonly request_id: string;
  readonly error: { readonly message: string };
}

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await gateway.fetch(path, { headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as AnyShape };
};

describe("for Anthropic's SDK", () => {
  test("lists and single models", async () => {
    const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key });
    const page = await client.models.list();
    expect(page.data.map(({ id }) => id)).toEqual(ids);
    expect(page).toMatchObject({ has_more: false, first_id: "sandbox-chat", last_id: "embedder" });
    expect(await client.models.retrieve("family/chat")).toMatchObject({
      type: "model",
      id: "family/chat",
      display_name: "Family chat",
      created_at: "2026-01-01T00:00:00Z",
      max_input_tokens: 128_000,
      max_tokens: 16_384,
      deprecated_at: "2027-01-01T00:00:00Z",
    });
  });

  test("pages, through the SDK's pagination", async () => {
    const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key });
    const walked: string[] = [];
    for await (const model of client.models.list({ limit: 2 })) walked.push(model.id);
    expect(walked).toEqual(ids);
    const { body } = await get("/v1/models?limit=2&before_id=family/chat", anthropic);
    expect(body).toMatchObject({ first_id: "sandbox-image", last_id: "sandbox-video", has_more: true });
  });

  test.each(["limit=0", "limit=1001", "limit=many", "after_id=nothing", "before_id=nothing"])(
    "%s is rejected by name",
    async (query) => {
      const { status, body } = await get(`/v1/models?${query}`, anthropic);
      expect(status).toBe(400);
      expect(body.error.message).toContain(query.replace(/=.*/, ""));
    },
  );

  test("errors and request ids are Anthropic's", async () => {
    const missing = await get("/v1/models/nothing", anthropic);
    expect(missing.status).toBe(404);
    expect(missing.body).toMatchObject({ type: "error", error: { type: "not_found_error" } });
    expect(missing.headers.get("request-id")).toBe(missing.body.request_id);
    expect((await get("/v1/models", anthropic)).headers.get("request-id")).toStartWith("req_");
  });

  test("its own key header takes precedence", async () => {
    const { key } = await gateway.newKey({ scopes: { models: ["family/*"] } });
    const { body } = await get("/v1/models", { ...anthropic, "x-api-key": key });
    expect(body.data.map(({ id }) => id)).toEqual(["family/chat"]);
  });
});

describe("for Google's SDK", () => {
  test("lists and single models", async () => {
    const client = new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } });
    const named: (string | undefined)[] = [];
    for await (const model of await client.models.list({ config: { pageSize: 2 } })) named.push(model.name);
    expect(named).toEqual(ids.map((id) => `models/${id}`));
    expect(await client.models.get({ model: "models/family/chat" })).toMatchObject({
      name: "models/family/chat",
      displayName: "Family chat",
      inputTokenLimit: 128_000,
      outputTokenLimit: 16_384,
      supportedActions: ["generateContent", "streamGenerateContent", "countTokens"],
    });
  });

  test("only the methods of its endpoints are listed, and unknown fields are absent", async () => {
    const { body } = await get("/v1beta/models/embedder");
    expect(body).toMatchObject({
      name: "models/embedder",
      supportedGenerationMethods: ["embedContent", "batchEmbedContents"],
    });
    expect(body).not.toHaveProperty("inputTokenLimit");
  });

  test.each(["pageSize=0", "pageSize=x", "pageToken=99", "pageToken=-1"])("%s is rejected by name", async (query) => {
    const { status, body } = await get(`/v1beta/models?${query}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
    expect(body.error.message).toContain(query.replace(/=.*/, ""));
  });

  test("errors are Google's, and only the key's models are listed", async () => {
    const { key } = await gateway.newKey({ scopes: { models: ["family/*"] } });
    const { body } = await get("/v1beta/models", { "x-goog-api-key": key });
    expect(body.models).toHaveLength(1);
    const hidden = await get("/v1beta/models/sandbox-chat", { "x-goog-api-key": key });
    expect(hidden.status).toBe(404);
    expect(hidden.body.error).toMatchObject({ code: 404, status: "NOT_FOUND" });
    const nobody = await get("/v1beta/models", { authorization: "Bearer nonsense" });
    expect(nobody.body.error).toMatchObject({ code: 401, status: "UNAUTHENTICATED" });
  });
});

test("otherwise OpenAI's format", async () => {
  const { body } = await get("/v1/models");
  expect(body.object).toBe("list");
  const expected = { id: "family/chat", object: "model", created: 1_767_225_600, owned_by: "tollgate" };
  expect<object | undefined>(body.data.find(({ id }) => id === "family/chat")).toEqual(expected);
});

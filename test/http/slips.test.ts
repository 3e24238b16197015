import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Slips that people make at a first try: each is forgiven, or answered with what to write instead. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: [
      ...["gpt-5-mini", "gpt-5-nano"].map((id) => ({ id, targets: [{ provider: "sandbox", model: "sandbox-chat" }] })),
      { id: "wild/*", targets: [{ provider: "sandbox", model: "*" }] },
    ],
    routes: [{ kind: "alias", id: "fast-alias", leadsTo: "gpt-5-nano" }],
  });
});
afterAll(() => gateway.stop());

const messageOf = async (response: Response): Promise<string> => {
  const body = (await response.json()) as { error: { message: string } };
  return body.error.message;
};

describe("an unknown model", () => {
  test("is answered with the nearest names, and where the list is", async () => {
    const response = await gateway.chat({ model: "gpt-5-mnii" });
    expect(response.status).toBe(404);
    expect(await messageOf(response)).toBe(
      "The model 'gpt-5-mnii' does not exist. Did you mean 'gpt-5-mini'? GET /v1/models lists the models that this API key may use.",
    );
    expect(await messageOf(await gateway.chat({ model: "fast_alais" }))).toContain("Did you mean 'fast-alias'?");
    expect(await messageOf(await gateway.fetch("/v1/models/gpt-5-mni"))).toContain("'gpt-5-mini'");
    expect(await messageOf(await gateway.chat({ model: "zzzzzzzzzzz" }))).not.toContain("Did you mean");
  });

  test("below a wildcard is named as such", async () => {
    const { key } = await gateway.newKey({ scopes: { models: ["wild/*"] } });
    const headers = { authorization: `Bearer ${key}` };
    expect(await messageOf(await gateway.chat({ model: "o9-huge" }, { headers }))).toContain(
      "Models have a prefix here, as in 'wild/o9-huge'.",
    );
    const { key: other } = await gateway.newKey({ scopes: { models: ["gpt-5-nano"] } });
    const message = await messageOf(
      await gateway.chat({ model: "o9-huge" }, { headers: { authorization: `Bearer ${other}` } }),
    );
    expect(message).not.toContain("wild/");
  });

  test("never names what the key may not use", async () => {
    const { key } = await gateway.newKey({ scopes: { models: ["gpt-5-nano"] } });
    const headers = { authorization: `Bearer ${key}` };
    const message = await messageOf(await gateway.chat({ model: "gpt-5-mnii" }, { headers }));
    expect(message).not.toContain("gpt-5-mini");
  });
});

describe("an unknown path", () => {
  test("that is a name with a slash in the Vercel AI SDK's Google provider: 404 that tells how to name it", async () => {
    const response = await gateway.fetch("/v1beta/openai/gpt-5:streamGenerateContent?alt=sse", { method: "POST" });
    expect(response.status).toBe(404);
    expect(await messageOf(response)).toBe(
      "Unknown path POST /v1beta/openai/gpt-5:streamGenerateContent. Did you mean /v1beta/models/openai/gpt-5:streamGenerateContent? " +
        "Name the model 'models/openai/gpt-5' in the client.",
    );
  });

  test.each([
    ["POST", "/chat/completions", "/v1/chat/completions", "OpenAI", "/v1"],
    ["POST", "/v1/v1/chat/completions", "/v1/chat/completions", "OpenAI", "/v1"],
    ["POST", "/v1/chat/completions/chat/completions", "/v1/chat/completions", "OpenAI", "/v1"],
    ["GET", "/models", "/v1/models", "OpenAI", "/v1"],
    ["POST", "/openai/v1/responses", "/v1/responses", "OpenAI", "/v1"],
    ["POST", "/v1/v1/messages", "/v1/messages", "Anthropic", ""],
    ["POST", "/messages", "/v1/messages", "Anthropic", ""],
    ["POST", "/v1/messages/v1/messages", "/v1/messages", "Anthropic", ""],
    ["POST", "/v1beta/v1beta/models/a:generateContent", "/v1beta/models/a:generateContent", "Google", ""],
    ["POST", "/v1/v1beta/models/a:countTokens", "/v1beta/models/a:countTokens", "Google", ""],
  ])("%s %s: 404 that names %s and the base URL to set", async (method, path, meant, vendor, suffix) => {
    const response = await gateway.fetch(path, { method });
    expect(response.status).toBe(404);
    const article = vendor === "Google" ? "a" : "an";
    expect(await messageOf(response)).toBe(
      `Unknown path ${method} ${path}. Did you mean ${meant}? Set the base URL of ${article} ${vendor} client to ${gateway.url}${suffix}`,
    );
  });

  test("names the address of a proxy that ends TLS", async () => {
    const headers = { "x-forwarded-proto": "https", host: "llm.example" };
    const message = await messageOf(await gateway.fetch("/embeddings", { method: "POST", headers }));
    expect(message).toEndWith("to https://llm.example/v1");
  });

  test.each(["/nowhere", "/v1/chat", `/${"a/".repeat(5_000)}models`])("%.20s: 404 without a guess", async (path) => {
    const message = await messageOf(await gateway.fetch(path, { method: "POST" }));
    expect(message).not.toContain("Did you mean");
    expect(message.length).toBeLessThan(300);
  });
});

test.each(["/v1/models/", "/healthz/", "/v1/models//"])("a slash at the end of %s is forgiven", async (path) => {
  expect((await gateway.fetch(path)).status).toBe(200);
});

test("a slash at the end of a billable path is forgiven, and is not in its record", async () => {
  const body = JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content: "Hi" }] });
  const headers = { "content-type": "application/json" };
  const response = await gateway.fetch("/v1/chat/completions/", { method: "POST", body, headers });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  const record = await gateway.record(response.headers.get("x-service-request-id"));
  expect(record.endpoint).toBe("/v1/chat/completions");
});

describe("a key", () => {
  test("without 'Bearer' is taken", async () => {
    expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization: gateway.key } })).status).toBe(200);
  });

  test.each([
    ["sk-proj-abcdefghijklmnop", "OpenAI"],
    ["sk-ant-api03-abcdefghijklmnop", "Anthropic"],
    ["AIzaSyAbcdefghijklmnop", "Google"],
  ])("%s is named as one of %s's", async (key, vendor) => {
    for (const authorization of [`Bearer ${key}`, key]) {
      const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization } });
      expect(response.status).toBe(401);
      const message = await messageOf(response);
      expect(message).toContain(`key of ${vendor}`);
      expect(message).toContain("sk-tg-");
      expect(message).not.toContain("ijklmnop");
    }
  });
});

describe("GET /", () => {
  test("is a page in a browser, without scripts", async () => {
    const response = await fetch(gateway.url, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'sha256-");
    expect(response.headers.get("content-security-policy")).not.toContain("unsafe");
    const page = await response.text();
    expect(page).toContain("gateway in front of model providers");
    expect(page).toContain('href="/healthz"');
    expect(page).not.toContain("<script");
    const [, style = ""] = /<style>(.*)<\/style>/.exec(page) ?? [];
    const hash = Bun.CryptoHasher.hash("sha256", style, "base64");
    expect(response.headers.get("content-security-policy")).toContain(`'sha256-${hash}'`);
  });

  test("is JSON for all others", async () => {
    const response = await fetch(gateway.url);
    expect(await response.json()).toMatchObject({ name: "tollgate", version: expect.any(String) });
    expect(response.headers.get("vary")).toContain("Accept");
  });

  test("leads to paths that exist", async () => {
    const { paths } = (await (await fetch(gateway.url)).json()) as { paths: { path: string }[] };
    for (const { path } of paths) expect((await gateway.fetch(path)).status).toBe(200);
  });
});

test("a WebSocket to a path that has none is answered with 426, at which Codex goes on by HTTP", async () => {
  const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const response = await gateway.fetch("/v1/responses", { headers });
  expect(response.status).toBe(426);
  expect((await gateway.fetch("/v1/responses")).status).toBe(405);
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Media given by URL, for a provider that accepts only bytes: fetched from public and allowed hosts. */

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n%%EOF");

let media: ReturnType<typeof Bun.serve>;
let gateway: TestGateway;
let fetched = 0;
beforeAll(async () => {
  media = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      fetched++;
      switch (new URL(request.url).pathname) {
        case "/image":
          return new Response(png, { headers: { "content-type": "image/png" } });
        case "/document":
          return new Response(pdf, { headers: { "content-type": "application/pdf" } });
        default:
          return Response.redirect(`http://127.0.0.2:${media.port}/image`, 302);
      }
    },
  });
  gateway = await startTestGateway({
    fetch: { allowHosts: ["127.0.0.1"] },
    providers: (url) => [{ id: "google", dialects: ["gemini"], baseUrl: url.replace(/\/v1$/, "") }],
    models: [{ id: "google", targets: [{ provider: "google", model: "sandbox-chat" }] }],
  });
});
afterAll(async () => {
  await gateway.stop();
  await media.stop(true);
});

const at = (path: string) => `http://127.0.0.1:${media.port}${path}`;
const upstream = () => new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body);

function post(path: string, body: object) {
  return gateway.fetch(path, { method: "POST", body: JSON.stringify({ model: "google", ...body }) });
}

function chat(url: string) {
  const content = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url } },
  ];
  return post("/v1/chat/completions", { messages: [{ role: "user", content }] });
}

function message(...urls: readonly string[]) {
  const content = urls.map((url) => ({ type: "document", source: { type: "url", url } }));
  return post("/v1/messages", { max_tokens: 100, messages: [{ role: "user", content }] });
}

test("an image reaches the provider as bytes", async () => {
  const response = await chat(at("/image"));
  expect(response.status).toBe(200);
  await response.json();
  expect(JSON.parse(upstream())).toMatchObject({
    contents: [{ parts: [{}, { inlineData: { mimeType: "image/png", data: png.toString("base64") } }] }],
  });
});

test("documents are fetched too, each URL once", async () => {
  const before = fetched;
  const response = await message(at("/document"), at("/document"));
  expect(response.status).toBe(200);
  await response.json();
  expect(upstream().split(pdf.toString("base64"))).toHaveLength(3);
  expect(fetched).toBe(before + 1);
});

describe("rejected with the path of the part, before a provider is called", () => {
  test.each([
    ["an internal host", () => "http://127.0.0.2/image"],
    ["a metadata service", () => "http://169.254.169.254/latest/meta-data/"],
    ["a name of this machine", () => `http://localhost:${media.port}/image`],
    ["a redirect to a host inside", () => at("/elsewhere")],
    ["something else than an image", () => at("/document")],
  ])("%s", async (_, url) => {
    const before = gateway.sandbox.requests.length;
    const response = await chat(url());
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { param: string; code: string; message: string } };
    expect(error).toMatchObject({ code: "invalid_parameter", param: "messages[0].content[1]" });
    expect(error.message).not.toContain("127.0.0");
    expect(gateway.sandbox.requests.length).toBe(before);
    const record = await gateway.record(response.headers.get("x-service-request-id"));
    expect(record).toMatchObject({ status: "refused", billing: { amount_microusd: 0 }, routing: { attempts: 0 } });
  });

  test("in the caller's own error format", async () => {
    const response = await message(at("/document"), "http://10.0.0.1/a.pdf");
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toContain("messages[0].content[1]");
  });
});

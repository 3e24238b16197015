import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tester } from "../../src/changes/actor.testkit.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { until } from "../until.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { png } from "../images/images.testkit.ts";

/** `POST /api/quote`, and the header that says what an answer cost. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await gateway.stop();
});

interface Quote {
  readonly model: string;
  readonly resolved_model: string;
  readonly pricing_version: number;
  readonly estimated: Amount;
  readonly greatest: Amount;
}

interface Amount {
  readonly amount_microusd: number;
  readonly line_items: readonly { readonly dimension: string; readonly amount_microusd: number }[];
}

const messages = [{ role: "user", content: "Hello! ".repeat(2_000) }];
const ask = (body: unknown, key = gateway.key) =>
  gateway.fetch("/api/quote", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("a quote", () => {
  test.each([
    ["/v1/chat/completions", { model: "sandbox-chat", messages, max_tokens: 300, n: 2 }],
    ["/v1/messages", { model: "sandbox-chat", messages, max_tokens: 300 }],
    ["/v1/responses?x=1", { model: "sandbox-chat", input: "Hello! ".repeat(2_000), max_output_tokens: 300 }],
    [
      "/v1beta/models/sandbox-chat:generateContent",
      { contents: [{ role: "user", parts: [{ text: "Hello! ".repeat(2_000) }] }] },
    ],
  ])("of %s bounds what the request then costs, and sends nothing", async (path, body) => {
    const before = gateway.sandbox.requests.length;
    const response = await ask({ path, body });
    expect(response.status).toBe(200);
    const quote = (await response.json()) as Quote;
    expect(quote).toMatchObject({ object: "quote", model: "sandbox-chat", resolved_model: "sandbox-chat" });
    expect(gateway.sandbox.requests.length).toBe(before);
    for (const { amount_microusd: amount, line_items: lines } of [quote.estimated, quote.greatest]) {
      expect(lines.reduce((sum, line) => sum + line.amount_microusd, 0)).toBe(amount);
    }
    expect(quote.estimated.amount_microusd).toBeGreaterThan(0);
    expect(quote.greatest.amount_microusd).toBeGreaterThanOrEqual(quote.estimated.amount_microusd);

    const answer = await gateway.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    await answer.text();
    const record = await gateway.record(answer.headers.get("x-service-request-id"));
    expect(record.billing.amount_microusd).toBeLessThanOrEqual(quote.greatest.amount_microusd);
    expect(record.billing.pricing_version).toBe(quote.pricing_version);
  });

  test.each([
    [{ body: {} }, 400, "path"],
    [{ path: "/v1/chat/completions" }, 400, "body"],
    [{ path: 5, body: {} }, 400, "path"],
    [{ path: "/v1/nothing", body: {} }, 400, "path"],
    [{ path: "/v1/messages/count_tokens", body: {} }, 400, "path"],
    [{ path: "/v1/chat/completions", body: [] }, 400, "body"],
    [{ path: "/v1/chat/completions", body: {}, headers: {} }, 400, "headers"],
    [{ path: "/v1/chat/completions", body: { model: "sandbox-chat" } }, 400, "messages"],
    [{ path: "/v1/chat/completions", body: { model: "unknown", messages } }, 404, "model"],
  ])("%j is refused as the request would be", async (body, status, param) => {
    const response = await ask(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { param } });
  });

  test("of edits of images is asked by the body that they have as JSON, with data URLs or files", async () => {
    const bytes = Buffer.from(await png(64, 64).bytes());
    const form = new FormData();
    form.set("purpose", "vision");
    form.set("file", new Blob([bytes]), "a.png");
    const uploaded = (await (await gateway.fetch("/v1/files", { method: "POST", body: form })).json()) as {
      id: string;
    };
    for (const image of [
      { image_url: `data:image/png;base64,${bytes.toString("base64")}` },
      { file_id: uploaded.id },
    ]) {
      const body = { model: "sandbox-image", prompt: "Make it blue", images: [image], n: 2, size: "512x512" };
      const response = await ask({ path: "/v1/images/edits", body });
      expect([response.status, await response.json()]).toMatchObject([200, { estimated: { amount_microusd: 20_000 } }]);
    }
  });

  test.each(["/v1/audio/transcriptions", "/v1/audio/translations"])("of %s is refused, and told why", async (path) => {
    const response = await ask({ path, body: { model: "sandbox-transcription" } });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { param: "path", message: expect.stringContaining("whose length decides what they cost") } },
    ]);
  });

  test("is refused as the request would be: for the tags that an account requires, the scope of the key, and the model", async () => {
    const storage = await openStorage(gateway.storageUrl);
    const accountId = "tagged";
    await storage.accounts.create(
      { id: accountId, name: "t", mode: "unlimited", markupBasisPoints: 0, createdAt: 1 },
      tester,
    );
    await storage.tagPolicies.set(accountId, { required: ["team"], allowed: { team: ["search"] } }, tester);
    await storage.close();
    const { key } = await gateway.newKey({
      accountId,
      scopes: { models: ["sandbox-chat"], endpoints: ["chat", "generate_content"] },
    });
    const chat = "/v1/chat/completions";
    const body = { model: "sandbox-chat", messages: [{ role: "user", content: "Hello!" }], max_tokens: 9 };
    const gemini = { contents: [{ role: "user", parts: [{ text: "Hello!" }] }], labels: { team: "search" } };
    const cases: readonly (readonly [string, object, Record<string, string>, number])[] = [
      [chat, body, {}, 400],
      [chat, body, { "x-service-tags": "team=ads" }, 400],
      [chat, body, { "x-service-tags": "Team" }, 400],
      [chat, body, { "x-service-tags": "team=search" }, 200],
      [chat, { ...body, model: "nothing" }, { "x-service-tags": "team=search" }, 404],
      ["/v1/embeddings", { model: "sandbox-embed", input: "x" }, { "x-service-tags": "team=search" }, 403],
      ["/v1beta/models/sandbox-chat:generateContent", gemini, {}, 200],
    ];
    await until(
      "the gateway knows the required tags",
      async () => (await ask({ path: chat, body }, key)).status === 400,
    );
    for (const [path, asked, headers, status] of cases) {
      const by = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
      const quote = await gateway.fetch("/api/quote", {
        method: "POST",
        headers: by,
        body: JSON.stringify({ path, body: asked }),
      });
      const answer = await gateway.fetch(path, { method: "POST", headers: by, body: JSON.stringify(asked) });
      expect([path, headers, quote.status, answer.status]).toEqual([path, headers, status, status]);
      const errorOf = async (response: Response) => {
        const { error } = (await response.json()) as { error: object };
        return { ...error, request_id: null };
      };
      if (status !== 200 && path === chat) expect(await errorOf(quote)).toEqual(await errorOf(answer));
    }
  });

  test("keeps to the scopes of the key", async () => {
    const body = { path: "/v1/chat/completions", body: { model: "sandbox-chat", messages } };
    const models = await gateway.newKey({ scopes: { models: ["other"] } });
    expect((await ask(body, models.key)).status).toBe(403);
    const endpoints = await gateway.newKey({ scopes: { endpoints: ["embeddings"] } });
    expect((await ask(body, endpoints.key)).status).toBe(403);
    expect((await ask(body, "sk-no")).status).toBe(401);
  });
});

describe("x-service-amount-microusd", () => {
  const header = (response: Response) => response.headers.get("x-service-amount-microusd");

  test("is what a whole answer cost, and 0 for an error", async () => {
    const good = await gateway.chat({ sandbox: { text: "Hi.", tokens: { input: 1_000, output: 10 } } });
    expect(header(good)).toBe("270");
    const record = await gateway.record(good.headers.get("x-service-request-id"));
    expect(record.billing.amount_microusd).toBe(270);
    expect(header(await gateway.chat({ sandbox: { fault: { kind: "status", status: 500 } } }))).toBe("0");
    expect(header(await gateway.chat({ messages: "x" }))).toBe("0");
  });

  test("is not in a stream, nor where nothing is charged for", async () => {
    const stream = await gateway.chat({ stream: true });
    await stream.text();
    expect(header(stream)).toBeNull();
    expect(header(await gateway.fetch("/v1/models"))).toBeNull();
  });
});

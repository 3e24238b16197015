import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Sandbox, startSandbox } from "./server.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    apiKeys: ["good"],
    models: { house: { text: "I am home", usage: "deepseek" } },
    log: { requests: 5, bytes: 4096 },
  });
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const hello = { model: "sandbox-chat", messages: [{ role: "user", content: "Hi" }] };

interface Answered {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens_details: { readonly cached_tokens: number } };
}

async function send(body: unknown, headers: Record<string, string> = { authorization: "Bearer good" }) {
  const response = await fetch(`${sandbox.url}/v1/chat/completions`, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answered };
}

describe("access", () => {
  test("an invalid or missing key is a 401", async () => {
    expect(await send(hello, {})).toMatchObject({ status: 401, body: { error: { code: "invalid_api_key" } } });
    const wrong = await send(hello, { authorization: "Bearer secret-1" });
    expect(wrong.status).toBe(401);
    expect(JSON.stringify(wrong.body)).not.toContain("secret-1");
  });

  test("an unknown model, path or method is an error", async () => {
    const model = await send({ ...hello, model: "gpt-unknown" });
    expect(model).toMatchObject({ status: 404, body: { error: { code: "model_not_found", param: null } } });
    const get = { headers: { authorization: "Bearer good" } };
    expect((await fetch(`${sandbox.url}/v1/nothing`, get)).status).toBe(404);
    expect((await fetch(`${sandbox.url}/v1/chat/completions`, get)).status).toBe(405);
  });

  test("models are listed, including registered ones", async () => {
    const list = await fetch(`${sandbox.url}/v1/models`, { headers: { authorization: "Bearer good" } });
    const { data } = (await list.json()) as { data: { id: string }[] };
    expect(data.map((model) => model.id)).toEqual(expect.arrayContaining(["sandbox-chat", "house"]));
  });

  test.each(["", "{", "[]", "null", '"text"', '{"model":{}}', "\u0000", "[".repeat(100_000)])(
    "bad body %# is 400, and later requests work",
    async (body) => {
      expect((await send(body)).status).toBe(400);
      expect((await send(hello)).status).toBe(200);
    },
  );
});

describe("model names", () => {
  test("a registered model, a scripted name, a model without tools", async () => {
    expect((await send({ ...hello, model: "house" })).body).toMatchObject({
      choices: [{ message: { content: "I am home" } }],
      usage: { prompt_cache_hit_tokens: 0 },
    });
    expect((await send({ ...hello, model: "sandbox-status-429" })).status).toBe(429);
    const tools = [{ type: "function", function: { name: "f" } }];
    expect(await send({ ...hello, model: "sandbox-no-tools", tools })).toMatchObject({
      status: 400,
      body: { error: { param: "tools" } },
    });
  });

  test("a prompt cache key finds earlier input", async () => {
    const cached = async () => {
      const { body } = await send({ ...hello, prompt_cache_key: "k" });
      return body.usage.prompt_tokens_details.cached_tokens;
    };
    expect([await cached(), await cached()]).toEqual([0, 5]);
  });
});

describe("the log", () => {
  test("keeps the received bytes of the newest requests", async () => {
    const written = '{"model":"sandbox-chat", "seed":1e2,"messages":[{"role":"user","content":"é"}]}';
    await send(written);
    expect(new TextDecoder().decode(sandbox.requests[0]?.body)).toBe(written);
    expect(sandbox.requests[0]).toMatchObject({ model: "sandbox-chat", status: 200, outcome: "finished", number: 1 });
    for (let request = 0; request < 6; request += 1) await send(hello);
    expect(sandbox.requests.map((request) => request.number)).toEqual([3, 4, 5, 6, 7]);
  });

  test("does not keep bodies above its limit", async () => {
    await send({ ...hello, metadata: { long: "x".repeat(5000) } });
    expect(sandbox.requests[0]?.body).toHaveLength(0);
  });

  test("many requests on one connection count as one connection", async () => {
    for (let request = 0; request < 20; request += 1) await send(hello);
    expect(sandbox.openConnections()).toBeLessThanOrEqual(2);
  });
});

describe("the control API", () => {
  const control = (method: string, path: string, body?: unknown) =>
    fetch(`${sandbox.url}/_sandbox/${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

  test("lists the received requests with masked credentials, and clears them", async () => {
    await send(hello, { authorization: "Bearer good", "x-trace": "1" });
    const listed = await control("GET", "requests?idle=true");
    const { data } = (await listed.json()) as { data: { body: string; headers: Record<string, string> }[] };
    expect(JSON.parse(data[0]!.body)).toEqual(hello);
    expect(data[0]!.headers).toMatchObject({ authorization: "Bearer goo...", "x-trace": "1" });
    await control("POST", "reset");
    expect(sandbox.requests).toHaveLength(0);
  });

  test("registers scripts and rejects invalid ones", async () => {
    expect((await control("PUT", "models/mine", { text: "Mine" })).status).toBe(200);
    expect((await send({ ...hello, model: "mine" })).body.choices[0]?.message.content).toBe("Mine");
    expect((await control("PUT", "models/mine", { txt: "?" })).status).toBe(400);
    expect((await control("POST", "refuse", { connections: -1 })).status).toBe(400);
    expect((await control("GET", "nothing")).status).toBe(404);
  });

  test("can be disabled", async () => {
    const closed = await startSandbox({ control: false });
    expect((await fetch(`${closed.url}/_sandbox/requests`)).status).toBe(404);
    await closed.stop();
  });
});

test("a port in use is an error, and stopping frees it during an answer", async () => {
  const first = await startSandbox({ models: { mute: { fault: { kind: "stall", at: "headers" } } } });
  expect(await startSandbox({ port: first.port }).catch(() => "taken")).toBe("taken");
  const body = JSON.stringify({ ...hello, model: "mute" });
  const hanging = fetch(`${first.url}/v1/chat/completions`, { method: "POST", body }).catch(() => "closed");
  await first.waitFor((requests) => requests.length === 1);
  await first.stop();
  expect(await hanging).toBe("closed");
  const second = await startSandbox({ port: first.port });
  await second.stop();
});

test("a sandbox without a request log answers", async () => {
  const forgetful = await startSandbox({ log: { requests: 0, bytes: 0 } });
  try {
    const response = await fetch(`${forgetful.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "sandbox-chat", messages: [{ role: "user", content: "Hello!" }] }),
    });
    expect(response.status).toBe(200);
    expect(forgetful.requests).toEqual([]);
  } finally {
    await forgetful.stop();
  }
});

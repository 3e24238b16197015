import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { disableKey } from "../src/access/manage.ts";
import { systemClock } from "../src/clock.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { startTestGateway, type TestGateway, type TestKey } from "./gateway.ts";
import { openRaw, type RawConnection } from "./raw-http.ts";

/** Whatever a caller sends: the right status, the field named, the right record or none, and the gateway untouched. */

const maxBodyBytes = 2 << 20;
const secretWords = "the quick brown prompt";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    server: { maxBodyBytes, bodyTimeoutMs: 300 },
    models: [{ id: "cool", temperature: { min: 0, max: 1 }, targets: [{ provider: "sandbox", model: "sandbox-chat" }] }],
  });
});
afterAll(() => gateway.stop());

/** After whatever a test has sent: the process serves on, and neither a secret nor a prompt is in the log. */
afterEach(async () => {
  const good = await gateway.chat();
  expect(good.status).toBe(200);
  await good.arrayBuffer();
  const log = JSON.stringify(gateway.log);
  expect(log).not.toContain(gateway.key);
  expect(log).not.toContain(secretWords);
  expect(gateway.log.filter((line) => line.level === "error")).toEqual([]);
});

interface Expected {
  readonly status?: number;
  readonly type?: string;
  readonly code: string;
  readonly param: string | null;
}

interface Refusal {
  readonly status: number;
  readonly headers: { get(name: string): string | null | undefined };
  readonly body: string;
}

async function post(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Refusal> {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
  const response = await gateway.fetch("/v1/chat/completions", init);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Sends a request, and proves that it was refused before any provider was called. */
async function refused(send: () => Promise<Refusal>, expected: Expected): Promise<string> {
  const before = gateway.sandbox.requests.length;
  const { status, headers, body } = await send();
  const { error } = JSON.parse(body) as { error: Record<string, unknown> };
  expect({ status, ...error }).toEqual({
    status: expected.status ?? 400,
    type: expected.type ?? "invalid_request_error",
    code: expected.code,
    param: expected.param,
    message: expect.any(String),
    request_id: headers.get("x-service-request-id"),
  });
  expect(String(error.message).length).toBeLessThan(1_000);
  expect(gateway.sandbox.requests.length).toBe(before);
  return String(error.request_id);
}

/** The same, with the record that a refused request keeps. */
async function refusedAndRecorded(send: () => Promise<Refusal>, expected: Expected): Promise<void> {
  const id = await refused(send, expected);
  expect(await gateway.record(id)).toMatchObject({
    status: "refused",
    error: { type: expected.type ?? "invalid_request_error", code: expected.code },
    billing: { amount_microusd: 0, line_items: [], status: "refunded" },
    routing: { status_code: expected.status ?? 400, attempts: 0, resolved_model: null, chose_provider: null },
  });
}

/** The same, for a request that leaves no record. */
async function refusedWithoutRecord(send: () => Promise<Refusal>, expected: Expected): Promise<void> {
  const id = await refused(send, expected);
  const lookup = await gateway.fetch(`/api/usage/requests/${id}`);
  expect(lookup.status).toBe(404);
  await lookup.arrayBuffer();
}

const user = { role: "user", content: secretWords };
const body = (fields: object) => JSON.stringify({ model: "sandbox-chat", messages: [user], ...fields });
const invalid = (param: string): Expected => ({ code: "invalid_parameter", param });
const missing = (param: string): Expected => ({ code: "missing_parameter", param });
const notJson: Expected = { code: "invalid_json", param: null };
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

describe("bodies that are no chat request", () => {
  const cases: Readonly<Record<string, readonly [body: string | Uint8Array, expected: Expected]>> = {
    "nothing at all": ["", notJson],
    "half a body": [body({}).slice(0, -10), notJson],
    "a long word": [secretWords + "x".repeat(100_000), notJson],
    "something behind the end": [`${body({})}}`, notJson],
    "an array": ["[]", notJson],
    "a string": ['"hello"', notJson],
    "null": ["null", notJson],
    "invalid UTF-8": [Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]), notJson],
    "a lone surrogate in its bytes": [Buffer.from('{"model":"\xed\xa0\x80"}', "latin1"), notJson],
    "a NUL between two members": ['{"model":"sandbox-chat",\u0000"messages":[]}', notJson],
    "a NUL inside a string": [body({ user: "x" }).replace('"x"', '"\u0000"'), notJson],
    "257 levels": [body({ metadata: 0 }).replace(":0", `:${nested(256)}`), notJson],
    "a million open brackets": ["[".repeat(1_000_000), notJson],
    "no model": [JSON.stringify({ messages: [user] }), missing("model")],
    "a null model": [body({ model: null }), missing("model")],
    "an empty model": [body({ model: "" }), invalid("model")],
    "a number for a model": [body({ model: 5 }), invalid("model")],
    "a model of 1 MB": [body({ model: "m".repeat(1_000_000) }), invalid("model")],
    "a header in the model": [body({ model: "sandbox-chat\r\nX-Evil: 1" }), invalid("model")],
    "a NUL in the model": [body({ model: "sandbox-chat\u0000" }), invalid("model")],
    "a key with stray spaces": [`{" model ":"sandbox-chat","messages":[]}`, missing("model")],
    "a model only in __proto__": [`{"__proto__":{"model":"sandbox-chat"},"messages":[]}`, missing("model")],
    "messages only in __proto__": [`{"model":"sandbox-chat","__proto__":{"messages":[{}]}}`, missing("messages")],
    "no messages": [JSON.stringify({ model: "sandbox-chat" }), missing("messages")],
    "null messages": [body({ messages: null }), missing("messages")],
    "empty messages": [body({ messages: [] }), invalid("messages")],
    "a string for messages": [body({ messages: "hello" }), invalid("messages")],
    "an object for messages": [body({ messages: { 0: user, length: 1 } }), invalid("messages")],
    "a null message": [body({ messages: [user, null] }), invalid("messages[1]")],
    "a message without a role": [body({ messages: [{ content: "x" }] }), missing("messages[0].role")],
    "an unknown role": [body({ messages: [{ role: "robot", content: "x" }] }), invalid("messages[0].role")],
    "a message without content": [body({ messages: [{ role: "user" }] }), missing("messages[0].content")],
    "a number for content": [body({ messages: [{ role: "user", content: 5 }] }), invalid("messages[0].content")],
    "a string among the parts": [
      body({ messages: [{ role: "user", content: ["x"] }] }),
      invalid("messages[0].content[0]"),
    ],
    "a part without a type": [
      body({ messages: [{ role: "user", content: [{ text: "x" }] }] }),
      invalid("messages[0].content[0].type"),
    ],
    "a text part without text": [
      body({ messages: [{ role: "user", content: [{ type: "text" }] }] }),
      invalid("messages[0].content[0].text"),
    ],
    "an image that is no URL": [
      body({ messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "file:///etc/passwd" } }] }] }),
      invalid("messages[0].content[0].image_url.url"),
    ],
    "a string for tool_calls": [
      body({ messages: [{ role: "assistant", tool_calls: "x" }] }),
      invalid("messages[0].tool_calls"),
    ],
    "a tool message without tool_call_id": [
      body({ messages: [user, { role: "tool", content: "18 degrees" }] }),
      missing("messages[1].tool_call_id"),
    ],
    "a number for tool_call_id": [
      body({ messages: [user, { role: "tool", content: "18 degrees", tool_call_id: 7 }] }),
      invalid("messages[1].tool_call_id"),
    ],
    "max_tokens 0": [body({ max_tokens: 0 }), invalid("max_tokens")],
    "max_tokens negative": [body({ max_tokens: -1 }), invalid("max_tokens")],
    "max_tokens a string": [body({ max_tokens: "100" }), invalid("max_tokens")],
    "max_tokens half": [body({ max_tokens: 1.5 }), invalid("max_tokens")],
    "max_tokens beyond all numbers": [body({ max_tokens: 7 }).replace(":7", ":1e999"), invalid("max_tokens")],
    "max_completion_tokens 0": [body({ max_completion_tokens: 0 }), invalid("max_completion_tokens")],
    "temperature a string": [body({ temperature: "1" }), invalid("temperature")],
    "temperature below the range": [body({ temperature: -0.1 }), invalid("temperature")],
    "temperature above the range": [body({ temperature: 2.1 }), invalid("temperature")],
    "temperature above the model's own range": [body({ model: "cool", temperature: 1.1 }), invalid("temperature")],
    "stream a string": [body({ stream: "true" }), invalid("stream")],
    "stream_options a string": [body({ stream: true, stream_options: "yes" }), invalid("stream_options")],
    "include_usage a string": [
      body({ stream: true, stream_options: { include_usage: "yes" } }),
      invalid("stream_options.include_usage"),
    ],
    "an object for tools": [body({ tools: {} }), invalid("tools")],
    "a null tool": [body({ tools: [null] }), invalid("tools[0]")],
    "a tool without a function": [body({ tools: [{ type: "function" }] }), missing("tools[0].function")],
    "a tool without a name": [body({ tools: [{ type: "function", function: {} }] }), invalid("tools[0].function.name")],
    "a string for parameters": [
      body({ tools: [{ type: "function", function: { name: "f", parameters: "{}" } }] }),
      invalid("tools[0].function.parameters"),
    ],
    "tool_choice unknown": [body({ tool_choice: "perhaps" }), invalid("tool_choice")],
    "tool_choice a number": [body({ tool_choice: 1 }), invalid("tool_choice")],
    "tool_choice without a name": [body({ tool_choice: { type: "function" } }), invalid("tool_choice.function.name")],
    "response_format a string": [body({ response_format: "json" }), invalid("response_format")],
    "response_format without a type": [body({ response_format: {} }), invalid("response_format.type")],
    "tools for a model without tools": [
      body({ model: "sandbox-no-tools", tools: [{ type: "function", function: { name: "f" } }] }),
      { code: "unsupported_parameter", param: "tools" },
    ],
    "an unknown model": [
      body({ model: "no-such-model" }),
      { status: 404, type: "not_found_error", code: "model_not_found", param: "model" },
    ],
    "a model with stray spaces": [
      body({ model: " sandbox-chat " }),
      { status: 404, type: "not_found_error", code: "model_not_found", param: "model" },
    ],
    "a lone surrogate in the model": [
      body({ model: "x" }).replace('"x"', '"\\ud800"'),
      { status: 404, type: "not_found_error", code: "model_not_found", param: "model" },
    ],
    "__proto__ for a model": [
      body({ model: "__proto__" }),
      { status: 404, type: "not_found_error", code: "model_not_found", param: "model" },
    ],
  };

  test.each(Object.entries(cases))("%s", async (_name, [sent, expected]) => {
    await refusedAndRecorded(() => post(sent), expected);
  });
});

describe("bodies that look strange and are good", () => {
  const cases: Readonly<Record<string, string>> = {
    "200 levels": body({ metadata: 0 }).replace(":0", `:${nested(200)}`),
    "256 levels": body({ metadata: 0 }).replace(":0", `:${nested(255)}`),
    "__proto__ and constructor": `{"__proto__":{"tools":5},"constructor":1,${body({}).slice(1)}`,
    "an escaped lone surrogate": body({ messages: [{ role: "user", content: "\ud800" }] }),
    "an escaped NUL": body({ messages: [{ role: "user", content: "a\u0000b" }] }),
    "keys with stray spaces beside the right ones": `{" model":"other",${body({}).slice(1)}`,
    "null for every optional field": body({ max_tokens: null, temperature: null, tools: null, stream_options: null }),
    "temperature at both ends": body({ temperature: 2 }),
  };

  test.each(Object.entries(cases))("%s: goes up byte for byte", async (_name, sent) => {
    const response = await post(sent);
    expect(response.status).toBe(200);
    expect(Buffer.from(gateway.sandbox.requests.at(-1)?.body ?? []).toString()).toBe(sent);
    expect(await gateway.record(response.headers.get("x-service-request-id") ?? null)).toMatchObject({
      status: "succeeded",
    });
  });
});

describe("content types and encodings", () => {
  const refusals: Readonly<Record<string, readonly [headers: Record<string, string>, param: string]>> = {
    "gzip": [{ "content-encoding": "gzip" }, "Content-Encoding"],
    "br after identity": [{ "content-encoding": "identity, br" }, "Content-Encoding"],
    "text": [{ "content-type": "text/plain" }, "Content-Type"],
    "a form": [{ "content-type": "multipart/form-data; boundary=x" }, "Content-Type"],
    "nearly JSON": [{ "content-type": "application/jsonx" }, "Content-Type"],
  };
  test.each(Object.entries(refusals))("%s: 415", async (_name, [headers, param]) => {
    const sent = param === "Content-Encoding" ? Bun.gzipSync(body({})) : body({});
    await refusedAndRecorded(() => post(sent, headers), { status: 415, code: "unsupported_media_type", param });
  });

  test.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.api+json"])("%s: good", async (type) => {
    expect((await post(body({}), { "content-type": type })).status).toBe(200);
  });
});

/** The head of a chat request with the gateway's key. */
function head(...lines: readonly string[]): string {
  const fixed = ["Host: gateway", `Authorization: Bearer ${gateway.key}`, "Content-Type: application/json"];
  return ["POST /v1/chat/completions HTTP/1.1", ...fixed, ...lines, "", ""].join("\r\n");
}

async function onConnection<Result>(use: (connection: RawConnection) => Promise<Result>): Promise<Result> {
  const connection = await openRaw(gateway.url);
  try {
    return await use(connection);
  } finally {
    connection.reset();
  }
}

async function answerOf(connection: RawConnection): Promise<Refusal> {
  const { status, headers, body } = await connection.response();
  return { status, headers: { get: (name) => headers[name] }, body };
}

const tooLarge: Expected = { status: 413, type: "request_too_large", code: "body_too_large", param: null };

describe("the size of a body", () => {
  test("one over the limit is refused from its length alone", async () => {
    await onConnection(async (connection) => {
      connection.send(head(`Content-Length: ${maxBodyBytes + 1}`));
      await refusedAndRecorded(() => answerOf(connection), tooLarge);
    });
  });

  test("a length that is no number a computer knows is refused too", async () => {
    await onConnection(async (connection) => {
      connection.send(head("Content-Length: 99999999999"));
      await refusedAndRecorded(() => answerOf(connection), tooLarge);
    });
  });

  test("chunks are refused as soon as they are too many, while more are to come", async () => {
    await onConnection(async (connection) => {
      connection.send(head("Transfer-Encoding: chunked"));
      const piece = "x".repeat(1 << 20);
      for (let sent = 0; sent <= maxBodyBytes; sent += piece.length) connection.send(`100000\r\n${piece}\r\n`);
      await refusedAndRecorded(() => answerOf(connection), tooLarge);
    });
  });

  test("a body of exactly the limit is read", async () => {
    const sent = body({});
    const response = await post(sent + " ".repeat(maxBodyBytes - Buffer.byteLength(sent)));
    expect(response.status).toBe(200);
  });

  test("good chunks are put together, wherever they are cut", async () => {
    await onConnection(async (connection) => {
      const sent = Buffer.from(body({ messages: [{ role: "user", content: "Grüße an 日本 🎉" }] }));
      connection.send(head("Transfer-Encoding: chunked"));
      for (const byte of sent) connection.send(Buffer.concat([Buffer.from("1\r\n"), Buffer.of(byte), Buffer.from("\r\n")]));
      connection.send("0\r\n\r\n");
      const response = await connection.response();
      expect(response.status).toBe(200);
      expect(Buffer.from(gateway.sandbox.requests.at(-1)?.body ?? [])).toEqual(sent);
      expect(response.body).toContain("Grüße an 日本 🎉");
    });
  });
});

const slow: Expected = { status: 408, code: "body_timeout", param: null };

describe("a body that does not come", () => {
  test("a length that promises more than is sent: 408", async () => {
    await onConnection(async (connection) => {
      connection.send(`${head("Content-Length: 5000")}${body({})}`);
      await refusedAndRecorded(() => answerOf(connection), slow);
    });
  });

  test("a byte now and then: 408 at the limit, however busy the connection is", async () => {
    await onConnection(async (connection) => {
      connection.send(head("Transfer-Encoding: chunked"));
      const dripping = setInterval(() => connection.send("1\r\n \r\n"), 20);
      try {
        await refusedAndRecorded(() => answerOf(connection), slow);
      } finally {
        clearInterval(dripping);
      }
    });
  });

  test("a caller who leaves in the middle of it: nothing is charged, no provider is called", async () => {
    const before = gateway.sandbox.requests.length;
    const lines = gateway.log.length;
    await onConnection(async (connection) => {
      connection.send(`${head("Content-Length: 5000")}{"model":`);
      connection.close();
      await connection.closed;
    });
    const good = await gateway.chat();
    await good.arrayBuffer();
    expect(gateway.sandbox.requests.length).toBe(before + 1);
    for (const { fields } of gateway.log.slice(lines, -1)) expect(fields).toMatchObject({ amount_microusd: 0 });
  });

  test("a length shorter than the body: the rest is no request, and the connection is closed", async () => {
    const before = gateway.sandbox.requests.length;
    await onConnection(async (connection) => {
      connection.send(`${head("Content-Length: 10")}${body({})}`);
      expect((await connection.response()).status).toBe(400);
      await connection.closed;
    });
    expect(gateway.sandbox.requests.length).toBe(before);
  });

  test("a refused body does not end up in the next request of its connection", async () => {
    await onConnection(async (connection) => {
      const smuggled = "POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\n\r\n";
      connection.send(`${head("Content-Encoding: gzip", `Content-Length: ${smuggled.length}`)}${smuggled}`);
      expect((await connection.response()).status).toBe(415);
      const next = body({});
      connection.send(`${head(`Content-Length: ${next.length}`)}${next}`);
      expect((await connection.response()).status).toBe(200);
    });
  });
});

describe("keys", () => {
  const unauthorized = (code: string): Expected => ({ status: 401, type: "authentication_error", code, param: null });
  const send = (headers: Readonly<Record<string, string>>, query = "") => async (): Promise<Refusal> => {
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: body({}) };
    const response = await fetch(`${gateway.url}/v1/chat/completions${query}`, init);
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  const bearer = ({ key }: Pick<TestKey, "key">) => ({ authorization: `Bearer ${key}` });

  test("none: 401", () => refusedWithoutRecord(send({}), unauthorized("missing_api_key")));

  test.each(["Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "sk-tg-without-a-scheme"])("'%s': 401", async (authorization) => {
    await refusedWithoutRecord(send({ authorization }), unauthorized("missing_api_key"));
  });

  test("wrong ones: 401", async () => {
    const last = gateway.key.at(-1) === "a" ? "b" : "a";
    const wrong = ["sk-openai", "x".repeat(8_000), gateway.key.slice(0, -1) + last, `${gateway.key}, Bearer ${gateway.key}`];
    for (const key of wrong) await refusedWithoutRecord(send(bearer({ key })), unauthorized("invalid_api_key"));
  });

  test("an expired one: 401", async () => {
    const expired = await gateway.newKey({ expiresAt: Date.now() - 1 });
    await refusedWithoutRecord(send(bearer(expired)), unauthorized("expired_api_key"));
  });

  test("a disabled one: 401, at once", async () => {
    const key = await gateway.newKey();
    expect((await send(bearer(key))()).status).toBe(200);
    const storage = await openStorage(gateway.storageUrl);
    await disableKey(storage.keys, key.id, systemClock);
    await storage.close();
    await refusedWithoutRecord(send(bearer(key)), unauthorized("disabled_api_key"));
  });

  test("one with stray spaces is good", async () => {
    expect((await send({ authorization: `  bearer \t ${gateway.key}  ` })()).status).toBe(200);
    expect((await send({ "x-api-key": ` ${gateway.key} ` })()).status).toBe(200);
  });

  test("every way to bring one is good, and none shows in the log", async () => {
    expect((await send({ "x-api-key": gateway.key })()).status).toBe(200);
    expect((await send({ "x-goog-api-key": gateway.key })()).status).toBe(200);
    expect((await send({}, `?key=${gateway.key}`)()).status).toBe(200);
    expect(gateway.sandbox.requests.at(-1)?.path).toBe("/v1/chat/completions");
    expect(JSON.stringify(gateway.sandbox.requests.at(-1)?.headers)).not.toContain(gateway.key);
  });

  test("of two, Authorization wins", async () => {
    const other = await gateway.newKey();
    const response = await send({ ...bearer(other), "x-api-key": gateway.key })();
    const id = response.headers.get("x-service-request-id") ?? null;
    expect(await gateway.record(id, other.key)).toMatchObject({ status: "succeeded" });
    const lookup = await gateway.fetch(`/api/usage/requests/${id}`);
    expect(lookup.status).toBe(404);
    await refusedWithoutRecord(send({ authorization: "Bearer nonsense", "x-api-key": gateway.key }), unauthorized("invalid_api_key"));
  });

  test("scopes: 403 for a model or an endpoint of others, with a record", async () => {
    const narrow = await gateway.newKey({ scopes: { models: ["cool"] } });
    const other = await gateway.newKey({ scopes: { endpoints: ["messages"] } });
    const forbidden = (code: string, param: string | null): Expected => ({ status: 403, type: "permission_error", code, param });
    const first = await refused(send(bearer(narrow)), forbidden("model_not_allowed", "model"));
    expect(await gateway.record(first, narrow.key)).toMatchObject({ status: "refused", billing: { amount_microusd: 0 } });
    const second = await refused(send(bearer(other)), forbidden("endpoint_not_allowed", null));
    expect(await gateway.record(second, other.key)).toMatchObject({ status: "refused", billing: { amount_microusd: 0 } });
  });

  test("a rate limit: 429 with the wait, and no record", async () => {
    const limited = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    expect((await send(bearer(limited))()).status).toBe(200);
    const expected = { status: 429, type: "rate_limit_exceeded", code: "requests_per_minute", param: null };
    const before = gateway.sandbox.requests.length;
    const { status, headers, body } = await send(bearer(limited))();
    const { error } = JSON.parse(body) as { error: Record<string, unknown> };
    expect({ status, ...error }).toMatchObject(expected);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(String(error.message)).toContain(`${headers.get("retry-after")} second`);
    expect(gateway.sandbox.requests.length).toBe(before);
    const lookup = await gateway.fetch(`/api/usage/requests/${String(error.request_id)}`, { headers: bearer(limited) });
    expect(lookup.status).toBe(404);
  });

  test("a refused request gives back what it had booked", async () => {
    const limited = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    const init = { method: "POST", headers: { ...bearer(limited) }, body: "{" };
    for (let tries = 0; tries < 3; tries++) {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, init);
      expect(response.status).toBe(400);
      await response.arrayBuffer();
    }
    expect((await send(bearer(limited))()).status).toBe(200);
  });
});

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type ServerResponse } from "node:http";
import { startTestGateway, type TestGateway, type TestRecord } from "./gateway.ts";
import { openRaw } from "./raw-http.ts";

/** Streams: what the caller is sent, what the provider is sent, and the record that is kept. */

const done = "data: [DONE]\n\n";

/** A provider whose every byte a test decides. */
let upstream: Awaited<ReturnType<typeof startByteUpstream>>;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startByteUpstream();
  gateway = await startTestGateway({
    server: { keepAliveMs: 60 },
    providers: () => [{ id: "bytes", baseUrl: upstream.url }],
    models: [
      { id: "bytes", targets: [{ provider: "bytes", model: "bytes" }] },
      { id: "family/other-name", targets: [{ provider: "sandbox", model: "sandbox-chat" }] },
    ],
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

async function startByteUpstream() {
  let answer = async (response: ServerResponse): Promise<void> => void response.end();
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    void answer(response);
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The upstream has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    answerWith(next: typeof answer) {
      answer = next;
    },
    /** Sends the bytes in writes of `size`, each of which arrives as one. */
    answerBytes(text: string, size = Infinity) {
      answer = async (response) => {
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += size) {
          response.write(bytes.subarray(at, Math.min(bytes.length, at + size)));
          if (size < Infinity) await new Promise((resolve) => setImmediate(resolve));
        }
        response.end();
      };
    },
    async stop() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const chunk = (fields: object) => JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", ...fields });
const says = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const finish = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const usageChunk = chunk({ choices: [], usage });

function oneNewline(text: string): string {
  return text.replaceAll(/\r\n|\r/g, "\n");
}

/** What `data:` lines say, read as the specification of event streams has it. */
function dataOf(text: string): string[] {
  return oneNewline(text)
    .split("\n\n")
    .map((event) =>
      event
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(line.startsWith("data: ") ? 6 : 5))
        .join("\n"),
    )
    .filter((data) => data !== "");
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string }; readonly finish_reason?: string }[];
  readonly usage?: { readonly total_tokens: number } | null;
}

function chunksOf(text: string): Chunk[] {
  return dataOf(text)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data) as Chunk);
}

const textOf = (chunks: readonly Chunk[]) => chunks.map((each) => each.choices?.[0]?.delta?.content ?? "").join("");
const idOf = (response: Response) => response.headers.get("x-service-request-id");

function expectGoodEnd(text: string) {
  expect(text.endsWith(done)).toBe(true);
  expect(dataOf(text).filter((data) => data === "[DONE]").length).toBe(1);
}

describe("the answer's bytes", () => {
  const payloads = [
    says("Grüße, 日本 🎉"),
    '{"id":"chatcmpl-1","big":12345678901234567890,"tiny":1e-7,"choices":[{"index":0,"delta":{"x":1},"delta":{"content":"twice"}}]}',
    finish,
  ];
  const newlines = { LF: "\n", CRLF: "\r\n", CR: "\r" };
  const sizes = [1, 2, 3, 5, 64, Infinity];
  const cases = Object.entries(newlines).flatMap(([name, newline]) => sizes.map((size) => [name, size, newline] as const));

  test.each(cases)("%s, cut every %d bytes: passed on untouched", async (_name, size, newline) => {
    const event = (data: string) => `data: ${data}${newline}${newline}`;
    const comment = `: waiting${newline}${newline}`;
    const good = comment + payloads.map(event).join(comment);
    upstream.answerBytes(good + event(usageChunk) + event("[DONE]"), size);
    for (const include_usage of [false, true]) {
      const response = await gateway.chat({ model: "bytes", stream: true, stream_options: { include_usage } });
      const expected = good + (include_usage ? event(usageChunk) : "") + done;
      const received = await response.text();
      // Of a CRLF that is cut in two at the very end, the caller may get only the first half: a line end all the same.
      if (newline === "\r\n") expect(oneNewline(received)).toBe(oneNewline(expected));
      else expect(received).toBe(expected);
      expect(await gateway.record(idOf(response))).toMatchObject({ status: "succeeded", usage });
    }
  });

  test("events of several lines, with names and ids, stay as they are", async () => {
    const event = 'id: 1\nevent: message\ndata: {"choices":[{"index":0,\ndata: "delta":{"content":"x"},"finish_reason":"stop"}]}\nretry: 5\n\n';
    upstream.answerBytes(event + done);
    const response = await gateway.chat({ model: "bytes", stream: true });
    expect(await response.text()).toBe(event + done);
  });

  test.each([
    ["no [DONE]", `data: ${says("a")}\n\ndata: ${finish}\n\n`],
    ["no blank line at the end", `data: ${says("a")}\n\ndata: ${finish}\n`],
    ["no line end at all", `data: ${says("a")}\n\ndata: ${finish}`],
    ["[DONE] without a line end", `data: ${says("a")}\n\ndata: ${finish}\n\ndata: [DONE]`],
    ["[DONE] with a space", `data: ${says("a")}\n\ndata: ${finish}\n\ndata: [DONE] \n\n`],
    ["[DONE] twice", `data: ${says("a")}\n\ndata: ${finish}\n\n${done}${done}`],
    ["words after [DONE]", `data: ${says("a")}\n\ndata: ${finish}\n\n${done}data: ${says("b")}\n\n`],
  ])("%s: a good end all the same", async (_name, sent) => {
    upstream.answerBytes(sent);
    const response = await gateway.chat({ model: "bytes", stream: true });
    const received = await response.text();
    expect(dataOf(received)).toEqual([says("a"), finish, "[DONE]"]);
    expectGoodEnd(received);
    expect(await gateway.record(idOf(response))).toMatchObject({ status: "succeeded" });
  });

  test("usage behind the finish, on an empty choice, is no new beginning", async () => {
    const late = chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }], usage });
    upstream.answerBytes(`data: ${says("a")}\n\ndata: ${finish}\n\ndata: ${late}\n\n${done}`);
    const response = await gateway.chat({ model: "bytes", stream: true });
    const received = await response.text();
    expectGoodEnd(received);
    expect(dataOf(received).length).toBe(4);
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      usage: { ...usage, measurement: { input: "provider", output: "provider" } },
    });
  });

  test("usage on every chunk: the last counts", async () => {
    const counting = [1, 2, 3].map((completion_tokens) =>
      chunk({
        choices: [{ index: 0, delta: { content: "x" }, finish_reason: completion_tokens === 3 ? "stop" : null }],
        usage: { prompt_tokens: 5, completion_tokens, total_tokens: 5 + completion_tokens },
      }),
    );
    upstream.answerBytes(counting.map((data) => `data: ${data}\n\n`).join("") + done);
    const response = await gateway.chat({ model: "bytes", stream: true });
    await response.text();
    expect(await gateway.record(idOf(response))).toMatchObject({ usage: { prompt_tokens: 5, completion_tokens: 3 } });
  });

  test("one of two choices that does not finish is a fault", async () => {
    const two = chunk({ choices: [0, 1].map((index) => ({ index, delta: { content: "x" }, finish_reason: null })) });
    upstream.answerBytes(`data: ${two}\n\ndata: ${finish}\n\n`);
    const response = await gateway.chat({ model: "bytes", stream: true });
    const received = await response.text();
    expect(received).not.toContain("[DONE]");
    expect(dataOf(received).at(-1)).toContain("upstream_invalid_response");
  });
});

describe("the request's bytes", () => {
  const odd = '"big":12345678901234567890 ,\t"top_p":1e-7,"x":1,"x":2,"metadata":{"model":"a","z":0,"a":-0.0},\n "user":"\\u00e9é"';
  const sentBody = () => Buffer.from(gateway.sandbox.requests.at(-1)?.body ?? []).toString();
  const post = async (body: string) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const response = await gateway.fetch("/v1/chat/completions", init);
    await response.text();
    expect(response.status).toBe(200);
  };
  const messages = '"messages" : [ {"role":"user","content":"Hi"} ]';

  test("JSON with the provider's own model name goes up as it is", async () => {
    const body = `{ "model" : "sandbox-chat", ${messages}, ${odd} }`;
    await post(body);
    expect(sentBody()).toBe(body);
  });

  test("another model name changes only that value", async () => {
    const body = `{ ${odd}, "model" : "family/other-name", ${messages} }`;
    await post(body);
    expect(sentBody()).toBe(body.replace("family/other-name", "sandbox-chat"));
  });

  test("a stream gains stream_options, and nothing else", async () => {
    const body = `{ "stream":true, "model":"sandbox-chat", ${messages}, ${odd}}`;
    await post(body);
    expect(sentBody()).toBe(`${body.slice(0, -1)},"stream_options":{"include_usage":true}}`);
  });

  test("stream_options of the caller's own are kept, save include_usage", async () => {
    const options = (include: string) => `"stream_options":{"include_obfuscation":false,"include_usage":${include}}`;
    const body = (include: string) => `{"stream":true,${options(include)},"model":"sandbox-chat",${messages},${odd}}`;
    for (const include of ["false", "true"]) {
      await post(body(include));
      expect(sentBody()).toBe(body("true"));
    }
    await post(`{"stream":true,"stream_options":null,"model":"sandbox-chat",${messages}}`);
    expect(sentBody()).toContain('"stream_options":{"include_usage":true}');
  });

  test("a model named twice is one and the same for whoever reads it", async () => {
    await post(`{"model":"sandbox-reasoning","model":"sandbox-chat",${messages}}`);
    expect(sentBody()).toBe(`{"model":"sandbox-chat","model":"sandbox-chat",${messages}}`);
  });
});

describe("usage in a stream", () => {
  const places = ["empty_choices", "no_choices", "last_choice"];
  const cases = places.flatMap((place) => [false, true].map((asked) => [place, asked] as const));

  test.each(cases)("%s, asked: %p", async (usage_place, asked) => {
    const sandbox = { usage_place, tokens: { input: 100, output: 20 } };
    const response = await gateway.chat({ stream: true, sandbox, ...(asked ? { stream_options: { include_usage: true } } : {}) });
    const text = await response.text();
    expectGoodEnd(text);
    const carriers = chunksOf(text).filter((each) => each.usage);
    expect(carriers.length).toBe(asked || usage_place === "last_choice" ? 1 : 0);
    // The choice that carries it was never held back.
    expect(chunksOf(text).some((each) => each.choices?.[0]?.finish_reason === "stop")).toBe(true);
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      stream: true,
      usage: { prompt_tokens: 100, completion_tokens: 20, measurement: { input: "provider", output: "provider" } },
      billing: { amount_microusd: 25 + 40, status: "charged" },
    });
  });

  test("none at all: estimated, and said so", async () => {
    for (const stream of [true, false]) {
      const response = await gateway.chat({ stream, sandbox: { usage: null, text: "one two three" } });
      await response.text();
      const record = await gateway.record(idOf(response));
      expect(record).toMatchObject({
        status: "succeeded",
        usage: { completion_tokens: 3, measurement: { input: "local_estimate", output: "local_estimate" } },
        provider_usage: { family: "openai-chat", raw_fields: {} },
      });
      expect(record.usage.prompt_tokens).toBeGreaterThan(0);
    }
  });

  const tokens = { input: 1_000, cache_read: 400, cache_write: 100, output: 50, reasoning: 30 };
  const variants: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    openai: { input: 600, cache_read: 400, output: 50 },
    openai_cache_write: { input: 500, cache_read: 400, cache_write: 100, output: 50 },
    deepseek: { cache_read: 400, cache_miss: 600, output: 50 },
    xai: { input: 600, cache_read: 400, output: 50 },
    mistral: { input: 600, cache_read: 400, output: 50 },
    moonshot: { input: 600, cache_read: 400, output: 50 },
    groq: { input: 600, cache_read: 400, output: 50 },
    alibaba: { input: 500, cache_read: 400, cache_write: 100, output: 50 },
    openrouter: { input: 500, cache_read: 400, cache_write: 100, output: 50 },
    zeros: {},
  };

  test.each(Object.entries(variants))("%s: the same dimensions in JSON and in a stream", async (variant, expected) => {
    for (const stream of [true, false]) {
      const response = await gateway.chat({ stream, sandbox: { usage: variant, tokens } });
      await response.text();
      const record = await gateway.record(idOf(response));
      const counted = record.usage.dimensions.filter(({ quantity }) => quantity > 0);
      expect(Object.fromEntries(counted.map(({ name, quantity }) => [name, quantity]))).toEqual(expected);
      expect(record.usage.measurement).toEqual({ input: "provider", output: "provider" });
      expect(record.provider_usage.raw_fields).not.toEqual({});
      expect(record.billing.line_items.reduce((sum, item) => sum + item.amount_microusd, 0)).toBe(
        record.billing.amount_microusd,
      );
    }
  });

  test.each([
    ["prompt_only", { input: "provider", output: "local_estimate" }],
    ["completion_only", { input: "local_estimate", output: "provider" }],
    ["strings", { input: "local_estimate", output: "local_estimate" }],
  ])("%s: the missing side is estimated", async (variant, measurement) => {
    const response = await gateway.chat({ stream: true, sandbox: { usage: variant, tokens, usage_place: "empty_choices" } });
    await response.text();
    expect(await gateway.record(idOf(response))).toMatchObject({ usage: { measurement } });
  });
});

describe("framing", () => {
  const text = "Grüße — 日本語, 🎉 and «more»";
  const framings = [
    { split: "bytes" },
    { split: "utf8" },
    { split: "merge" },
    { split: 7, newline: "crlf" },
    { split: "bytes", newline: "crlf", multi_line: true, comments: true },
    { split: "bytes", newline: "cr", no_space: true },
    { split: "merge", newline: "cr", comments: true },
    { split: "utf8", multi_line: true, newline: "crlf" },
  ];
  test.each(framings.map((framing) => [framing]))("%j", async (framing) => {
    const response = await gateway.chat({ stream: true, sandbox: { text, chunks: 5, framing, tokens: { output: 7 } } });
    const received = await response.text();
    expectGoodEnd(received);
    expect(textOf(chunksOf(received))).toBe(text);
    expect(await gateway.record(idOf(response))).toMatchObject({ status: "succeeded", usage: { completion_tokens: 7 } });
  });

  test("an event of 8 MB passes, whole", async () => {
    for (const stream of [true, false]) {
      const response = await gateway.chat({ stream, sandbox: { fault: { kind: "huge_frame", megabytes: 8 } } });
      const received = await response.text();
      expect(received.length).toBeGreaterThan(8_000_000);
      if (stream) expectGoodEnd(received);
      expect(await gateway.record(idOf(response))).toMatchObject({ status: "succeeded" });
    }
  });
});

describe("a provider that does not do as asked", () => {
  const calls = [
    { name: "get_weather", arguments: { city: "Paris" } },
    { name: "get_weather", arguments: { city: "Rome" } },
  ];

  test("JSON in place of a stream becomes one", async () => {
    const sandbox = { ignore_stream: true, text: "All at once.", tokens: { input: 10, output: 3 } };
    const response = await gateway.chat({ stream: true, stream_options: { include_usage: true }, n: 2, sandbox });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const received = await response.text();
    expectGoodEnd(received);
    const chunks = chunksOf(received);
    for (const index of [0, 1]) {
      const own = chunks.flatMap((each) => each.choices ?? []).filter((choice) => "index" in choice && choice.index === index);
      expect(own.map((choice) => choice.delta?.content ?? "").join("")).toBe("All at once.");
      expect(own.at(-1)?.finish_reason).toBe("stop");
    }
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 3 } });
    expect(await gateway.record(idOf(response))).toMatchObject({ stream: true, usage: { completion_tokens: 3 } });
  });

  test("JSON with tool calls becomes deltas with an index", async () => {
    const response = await gateway.chat({ stream: true, sandbox: { ignore_stream: true, tool_calls: calls } });
    const deltas = chunksOf(await response.text()).map((each) => each.choices?.[0]?.delta);
    expect(deltas[0]).toMatchObject({ tool_calls: [{ index: 0 }, { index: 1, function: { name: "get_weather" } }] });
  });

  test("a stream in place of JSON becomes JSON", async () => {
    const sandbox = { force_stream: true, text: "Bit by bit.", chunks: 4, tokens: { input: 10, output: 3 }, usage_place: "empty_choices" };
    const response = await gateway.chat({ n: 2, sandbox });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({
      object: "chat.completion",
      choices: [0, 1].map((index) => ({ index, message: { role: "assistant", content: "Bit by bit." }, finish_reason: "stop" })),
      usage: { prompt_tokens: 10, completion_tokens: 3 },
    });
    expect(await gateway.record(idOf(response))).toMatchObject({ stream: false, usage: { prompt_tokens: 10 } });
  });

  test("a stream of tool calls in place of JSON becomes whole calls", async () => {
    const response = await gateway.chat({ sandbox: { force_stream: true, tool_calls: calls } });
    const { choices } = (await response.json()) as { choices: { message: { tool_calls: { function: { arguments: string } }[] } }[] };
    const made = choices[0]?.message.tool_calls ?? [];
    expect(made.map((call) => JSON.parse(call.function.arguments) as object)).toEqual(calls.map((call) => call.arguments));
    expect(made[0]).not.toHaveProperty("index");
  });
});

test("a silent provider: signs of life between events, never inside one", async () => {
  upstream.answerWith(async (response) => {
    response.write(`data: ${says("a")}\n\ndata: {"choices":`);
    await Bun.sleep(250);
    response.end(`[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n${done}`);
  });
  const response = await gateway.chat({ model: "bytes", stream: true });
  const events = (await response.text()).trim().split("\n\n");
  expect(events[0]).toBe(`data: ${says("a")}`);
  expect(events.slice(1, -2).length).toBeGreaterThan(1);
  expect(new Set(events.slice(1, -2))).toEqual(new Set([": keep-alive"]));
  expect(events.slice(-2)).toEqual(['data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}', "data: [DONE]"]);
});

/** The head and body of a streamed request on a connection of a test's own. */
function rawRequest(fields: object): string {
  const body = JSON.stringify({ stream: true, messages: [{ role: "user", content: "Go on" }], ...fields });
  const lines = ["Host: gateway", `Authorization: Bearer ${gateway.key}`, `Content-Length: ${Buffer.byteLength(body)}`];
  return ["POST /v1/chat/completions HTTP/1.1", ...lines, "", body].join("\r\n");
}

test("a caller who stops reading stops the provider, and memory stays flat", async () => {
  const event = Buffer.from(`data: ${says("x".repeat(16_000))}\n\n`);
  let sent = 0;
  let left = false;
  upstream.answerWith(async (response) => {
    let go = () => {};
    response.on("drain", () => go());
    response.on("close", () => {
      left = true;
      go();
    });
    while (!left) {
      sent += event.length;
      if (!response.write(event)) await new Promise<void>((resolve) => (go = resolve));
    }
  });
  const logged = gateway.log.length;
  const connection = await openRaw(gateway.url);
  connection.send(rawRequest({ model: "bytes" }));
  await connection.received("data: ");
  connection.pause();
  const before = process.memoryUsage.rss();
  const stalledAt = await settledValue(() => sent);
  // What the system's own buffers hold on two loopback connections, and no more.
  expect(stalledAt).toBeLessThan(64 << 20);
  expect(process.memoryUsage.rss() - before).toBeLessThan(96 << 20);
  connection.resume();
  await until(() => sent > stalledAt);
  connection.reset();
  await until(() => left);
  const record = await recordAfter(logged);
  expect(record).toMatchObject({ status: "cancelled", usage: { measurement: { output: "local_estimate" } } });
  expect(record.billing.amount_microusd).toBeGreaterThan(0);
});

/** Waits until a condition holds. */
async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (condition()) return;
    await Bun.sleep(5);
  }
  throw new Error("What was waited for did not come.");
}

/** The value once it has not changed for a while. */
async function settledValue(read: () => number): Promise<number> {
  let value = read();
  let same = 0;
  await until(() => {
    const now = read();
    same = now === value ? same + 1 : 0;
    value = now;
    return same === 40;
  });
  return value;
}

/** The record of the first request that the gateway has logged since its log had so many lines. */
async function recordAfter(lines: number): Promise<TestRecord> {
  await until(() => gateway.log.length > lines);
  return gateway.record(String(gateway.log[lines]?.fields["request_id"]));
}

describe("a caller who leaves", () => {
  const aborted = () => gateway.sandbox.waitFor((requests) => requests.at(-1)?.outcome === "aborted");
  const arrived = (count: number) => gateway.sandbox.waitFor((requests) => requests.length > count);

  test.each([true, false])("before the first byte (stream: %p): cancelled, free, the provider's call ended", async (stream) => {
    for (const fault of [{ kind: "stall", at: "headers" }, { kind: "stall", at: "first_byte" }]) {
      const before = gateway.sandbox.requests.length;
      const logged = gateway.log.length;
      const controller = new AbortController();
      const asking = gateway.chat({ stream, sandbox: { fault } }, { signal: controller.signal });
      await arrived(before);
      controller.abort();
      expect(await asking.then(() => null, (error: Error) => error.name)).toBe("AbortError");
      await aborted();
      expect(await recordAfter(logged)).toMatchObject({
        status: "cancelled",
        stream,
        error: null,
        billing: { amount_microusd: 0, line_items: [] },
        routing: { status_code: 499, attempts: 1, resolved_model: null, time_to_first_byte_ms: null },
      });
    }
  });

  test("in mid-stream: cancelled, charged for what was produced, the provider's call ended", async () => {
    const controller = new AbortController();
    const sandbox = { chunks: ["one", " two", " three", " four"], fault: { kind: "stall", after: 4 } };
    const response = await gateway.chat({ stream: true, sandbox }, { signal: controller.signal });
    const reader = response.body?.getReader();
    let received = "";
    while (!received.includes(" three")) received += new TextDecoder().decode((await reader?.read())?.value);
    controller.abort();
    await aborted();
    const record = await gateway.eventualRecord(idOf(response) ?? "");
    expect(record).toMatchObject({
      status: "cancelled",
      stream: true,
      error: null,
      usage: { completion_tokens: 3, measurement: { input: "local_estimate", output: "local_estimate" } },
      billing: { status: "charged" },
      routing: { status_code: 200, resolved_model: "sandbox-chat" },
    });
    expect(record.billing.amount_microusd).toBe(
      Math.floor((record.usage.prompt_tokens * 250_000 + 500_000) / 1_000_000) + 3 * 2,
    );
  });

  test("in the middle of a JSON answer: cancelled, free", async () => {
    const before = gateway.sandbox.requests.length;
    const logged = gateway.log.length;
    const controller = new AbortController();
    const asking = gateway.chat({ sandbox: { fault: { kind: "stall" } } }, { signal: controller.signal });
    await arrived(before);
    await gateway.sandbox.waitFor((requests) => requests.at(-1)?.status === 200);
    controller.abort();
    await asking.catch(() => undefined);
    await aborted();
    expect(await recordAfter(logged)).toMatchObject({ status: "cancelled", billing: { amount_microusd: 0 } });
  });

  test("after the end: succeeded", async () => {
    const logged = gateway.log.length;
    const connection = await openRaw(gateway.url);
    connection.send(rawRequest({ model: "sandbox-chat" }));
    await connection.received(done.trimEnd());
    connection.reset();
    expect(await recordAfter(logged)).toMatchObject({ status: "succeeded", stream: true });
  });

  test("while no record can be kept: the gateway lives on", async () => {
    const broken = await startTestGateway({ journalMaxBytes: 1 });
    try {
      const controller = new AbortController();
      const sandbox = { fault: { kind: "stall", after: 2 } };
      const response = await broken.chat({ stream: true, sandbox }, { signal: controller.signal });
      await response.body?.getReader().read();
      const database = new Database(broken.storageUrl.slice("sqlite:".length));
      database.run("drop table requests");
      database.close();
      controller.abort();
      await until(() => broken.log.some(({ message }) => message === "a record could not be kept"));
      expect((await broken.fetch("/healthz")).status).toBe(200);
      expect(await (await broken.chat()).json()).toMatchObject({ error: { code: "storage_unavailable" } });
    } finally {
      await broken.stop();
    }
  });
});

describe("the record", () => {
  test("is there right after the last byte, for fifty at once", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const response = await gateway.chat({ stream: index % 2 === 0, sandbox: { chunks: 3 } });
        await response.text();
        return (await gateway.record(idOf(response))).status;
      }),
    );
    expect(statuses).toEqual(Array(50).fill("succeeded"));
  });

  test("is found by the answer's id too, newest first, and by no other key", async () => {
    const sandbox = { id: "chatcmpl-of-a-test" };
    const first = await gateway.chat({ sandbox });
    await first.text();
    const second = await gateway.chat({ stream: true, sandbox });
    await second.text();
    expect((await gateway.record(sandbox.id)).id).toBe(idOf(second) ?? "");
    const { key } = await gateway.newKey();
    for (const id of [sandbox.id, idOf(first)]) {
      const lookup = await gateway.fetch(`/api/usage/requests/${id}`, { headers: { authorization: `Bearer ${key}` } });
      expect(lookup.status).toBe(404);
      expect(await lookup.json()).toMatchObject({ error: { type: "not_found_error", code: "request_not_found" } });
    }
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type ByteUpstream,
  chunk,
  finish,
  says,
  startByteUpstream,
  usage,
  usageChunk,
} from "../byte-upstream.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { chunksOf, dataOf, done, expectGoodEnd, idOf, oneNewline, textOf, toolCallsOf } from "../sse-text.testkit.ts";

/** Streams: the bytes to the caller and to the provider. */

let upstream: ByteUpstream;
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

describe("the answer's bytes", () => {
  const payloads = [
    says("Grüße, 日本 🎉"),
    '{"id":"chatcmpl-1","big":12345678901234567890,"tiny":1e-7,"choices":[{"index":0,"delta":{"x":1},"delta":{"content":"twice"}}]}',
    finish,
  ];
  const newlines = { LF: "\n", CRLF: "\r\n", CR: "\r" };
  const sizes = [1, 2, 3, 5, 64, Infinity];
  const cases = Object.entries(newlines).flatMap(([name, newline]) =>
    sizes.map((size) => [name, size, newline] as const),
  );

  test.each(cases)("%s, split every %d bytes: forwarded unchanged", async (_name, size, newline) => {
    const event = (data: string) => `data: ${data}${newline}${newline}`;
    const comment = `: waiting${newline}${newline}`;
    const good = comment + payloads.map(event).join(comment);
    upstream.answerBytes(good + event(usageChunk) + event("[DONE]"), size);
    for (const include_usage of [false, true]) {
      const response = await gateway.chat({ model: "bytes", stream: true, stream_options: { include_usage } });
      const expected = good + (include_usage ? event(usageChunk) : "") + done;
      // On a slow machine the pieces may come far enough apart for signs of life between the events.
      const received = (await response.text()).replaceAll(": keep-alive\n\n", "");
      // Of a CRLF that is cut in two at the very end, the caller may get only the first half: a line end all the same.
      if (newline === "\r\n") expect(oneNewline(received)).toBe(oneNewline(expected));
      else expect(received).toBe(expected);
      expect(await gateway.record(idOf(response))).toMatchObject({ status: "succeeded", usage });
    }
  });

  test("events of several lines, with names and ids, are unchanged", async () => {
    const event =
      'id: 1\nevent: message\ndata: {"choices":[{"index":0,\ndata: "delta":{"content":"x"},"finish_reason":"stop"}]}\nretry: 5\n\n';
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
  ])("%s: completes normally", async (_name, sent) => {
    upstream.answerBytes(sent);
    const response = await gateway.chat({ model: "bytes", stream: true });
    const received = await response.text();
    expect(dataOf(received)).toEqual([says("a"), finish, "[DONE]"]);
    expectGoodEnd(received);
    expect(await gateway.record(idOf(response))).toMatchObject({ status: "succeeded" });
  });

  test("usage after the finish reason, on an empty choice, does not restart the choice", async () => {
    const late = chunk({
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
      usage,
    });
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

  test("a choice without a finish reason is a fault", async () => {
    const two = chunk({ choices: [0, 1].map((index) => ({ index, delta: { content: "x" }, finish_reason: null })) });
    upstream.answerBytes(`data: ${two}\n\ndata: ${finish}\n\n`);
    const response = await gateway.chat({ model: "bytes", stream: true });
    const received = await response.text();
    expect(received).not.toContain("[DONE]");
    expect(dataOf(received).at(-1)).toContain("upstream_invalid_response");
  });
});

describe("the request's bytes", () => {
  const odd =
    '"big":12345678901234567890 ,\t"top_p":1e-7,"x":{"y":1,"y":2},"metadata":{"model":"a","z":0,"a":-0.0},\n "user":"\\u00e9é"';
  const sentBody = () => Buffer.from(gateway.sandbox.requests.at(-1)?.body ?? []).toString();
  const send = (body: string) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    return gateway.fetch("/v1/chat/completions", init);
  };
  const post = async (body: string) => {
    const response = await send(body);
    await response.text();
    expect(response.status).toBe(200);
  };
  const messages = '"messages" : [ {"role":"user","content":"Hi"} ]';

  test("JSON with the provider's own model name is forwarded unchanged", async () => {
    const body = `{ "model" : "sandbox-chat", ${messages}, ${odd} }`;
    await post(body);
    expect(sentBody()).toBe(body);
  });

  test("another model name changes only that value", async () => {
    const body = `{ ${odd}, "model" : "family/other-name", ${messages} }`;
    await post(body);
    expect(sentBody()).toBe(body.replace("family/other-name", "sandbox-chat"));
  });

  test("a streaming request gets stream_options, and nothing else", async () => {
    const body = `{ "stream":true, "model":"sandbox-chat", ${messages}, ${odd}}`;
    await post(body);
    expect(sentBody()).toBe(`${body.slice(0, -1)},"stream_options":{"include_usage":true}}`);
  });

  test("the caller's stream_options are kept, except include_usage", async () => {
    const options = (include: string) => `"stream_options":{"include_obfuscation":false,"include_usage":${include}}`;
    const body = (include: string) => `{"stream":true,${options(include)},"model":"sandbox-chat",${messages},${odd}}`;
    for (const include of ["false", "true"]) {
      await post(body(include));
      expect(sentBody()).toBe(body("true"));
    }
    await post(`{"stream":true,"stream_options":null,"model":"sandbox-chat",${messages}}`);
    expect(sentBody()).toContain('"stream_options":{"include_usage":true}');
  });

  test("a field that stands twice is refused, also within stream_options", async () => {
    const before = gateway.sandbox.requests.length;
    for (const [field, fields] of [
      ["model", `"model":"sandbox-reasoning"`],
      ["max_tokens", `"max_tokens":100000,"max_tokens":5`],
      ["stream_options.include_usage", `"stream":true,"stream_options":{"include_usage":false,"include_usage":true}`],
    ]) {
      const response = await send(`{${fields},"model":"sandbox-chat",${messages}}`);
      expect(await response.json()).toMatchObject({ error: { code: "invalid_parameter", param: field } });
    }
    expect(gateway.sandbox.requests.length).toBe(before);
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
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      usage: { completion_tokens: 7 },
    });
  });

  test("an event of 8 MB is forwarded", async () => {
    for (const stream of [true, false]) {
      const response = await gateway.chat({ stream, sandbox: { fault: { kind: "huge_frame", megabytes: 8 } } });
      const received = await response.text();
      expect(received.length).toBeGreaterThan(8_000_000);
      if (stream) expectGoodEnd(received);
      expect(await gateway.record(idOf(response))).toMatchObject({ status: "succeeded" });
    }
  });
});

describe("a provider that answers in the wrong form", () => {
  const calls = [
    { name: "get_weather", arguments: { city: "Paris" } },
    { name: "get_weather", arguments: { city: "Rome" } },
  ];

  test("JSON instead of a stream becomes a stream", async () => {
    const sandbox = { ignore_stream: true, text: "All at once.", tokens: { input: 10, output: 3 } };
    const response = await gateway.chat({ stream: true, stream_options: { include_usage: true }, n: 2, sandbox });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const received = await response.text();
    expectGoodEnd(received);
    const chunks = chunksOf(received);
    for (const index of [0, 1]) {
      const own = chunks
        .flatMap((each) => each.choices ?? [])
        .filter((choice) => "index" in choice && choice.index === index);
      expect(own.map((choice) => choice.delta?.content ?? "").join("")).toBe("All at once.");
      expect(own.at(-1)?.finish_reason).toBe("stop");
    }
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 3 } });
    expect(await gateway.record(idOf(response))).toMatchObject({ stream: true, usage: { completion_tokens: 3 } });
  });

  test("JSON with tool calls becomes deltas with an index", async () => {
    const response = await gateway.chat({ stream: true, sandbox: { ignore_stream: true, tool_calls: calls } });
    const called = toolCallsOf(chunksOf(await response.text()));
    expect(called).toEqual([
      { ids: [expect.any(String)], name: "get_weather", arguments: '{"city":"Paris"}' },
      { ids: [expect.any(String)], name: "get_weather", arguments: '{"city":"Rome"}' },
    ]);
  });

  test("a stream instead of JSON becomes JSON", async () => {
    const sandbox = {
      force_stream: true,
      text: "Bit by bit.",
      chunks: 4,
      tokens: { input: 10, output: 3 },
      usage_place: "empty_choices",
    };
    const response = await gateway.chat({ n: 2, sandbox });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({
      object: "chat.completion",
      choices: [0, 1].map((index) => ({
        index,
        message: { role: "assistant", content: "Bit by bit." },
        finish_reason: "stop",
      })),
      usage: { prompt_tokens: 10, completion_tokens: 3 },
    });
    expect(await gateway.record(idOf(response))).toMatchObject({ stream: false, usage: { prompt_tokens: 10 } });
  });

  test("a stream of tool calls instead of JSON becomes complete calls", async () => {
    const response = await gateway.chat({ sandbox: { force_stream: true, tool_calls: calls } });
    const { choices } = (await response.json()) as {
      choices: { message: { tool_calls: { function: { arguments: string } }[] } }[];
    };
    const made = choices[0]?.message.tool_calls ?? [];
    expect(made.map((call) => JSON.parse(call.function.arguments) as object)).toEqual(
      calls.map((call) => call.arguments),
    );
    expect(made[0]).not.toHaveProperty("index");
  });
});

test("a silent provider: keep-alives between events, never inside one", async () => {
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
  expect(events.slice(-2)).toEqual([
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
    "data: [DONE]",
  ]);
});

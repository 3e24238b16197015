import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startByteUpstream, type ByteUpstream } from "../byte-upstream.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { until } from "../until.testkit.ts";
import { providersAt, speechProviders } from "./speech.testkit.ts";
import {
  eventsOf,
  spoken,
  spokenScript,
  startTranscriptionGateway,
  transcribe,
  transcriberAt,
  transcriptionModel,
} from "./transcription.testkit.ts";

/** Transcripts on their way: the file as it is sent, further attempts, events, callers who leave, repetitions. */

let gateway: TestGateway;
let upstream: ByteUpstream;
/** A server that answers every request with this. */
let odd: ReturnType<typeof Bun.serve>;
let oddAnswer: () => Response;

beforeAll(async () => {
  upstream = await startByteUpstream();
  odd = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      await request.arrayBuffer();
      return oddAnswer();
    },
  });
  const retry = { attempts: 3, budgetMs: 5_000, on: ["server_error", "invalid_response", "unreachable"] } as const;
  gateway = await startTranscriptionGateway(
    [
      transcriptionModel("two", ["elevenlabs", "openai"], { retry }),
      transcriptionModel("three", ["deepgram", "gemini", "openai"], { retry }),
      transcriptionModel("events", [], { targets: [{ provider: "bytes", model: "any" }] }),
      transcriptionModel("odd", [], { targets: [{ provider: "odd", model: "any" }] }),
    ],
    {
      providers: (url) => [
        ...providersAt(url),
        { id: "bytes", baseUrl: upstream.url },
        { id: "odd", baseUrl: `http://127.0.0.1:${odd.port}/v1` },
      ],
    },
  );
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  await odd.stop(true);
});

const text = "Hello brave new world.";
const requests = () => gateway.sandbox.requests;
const last = () => requests().at(-1);
/** Above 1 MiB, so that it is on the disk. */
const large = spoken("quick brown foxes ".repeat(40).trim());

describe("the file", () => {
  test("is sent byte for byte to each provider, from the disk too", async () => {
    for (const sound of [spoken(), large]) {
      for (const provider of speechProviders) {
        expect((await transcribe(gateway, { model: transcriberAt(provider) }, { sound })).status).toBe(200);
        const body = Buffer.from(last()?.body ?? "");
        if (provider === "deepgram") expect(body.equals(sound)).toBe(true);
        else if (provider === "gemini") {
          const { contents } = JSON.parse(body.toString()) as {
            contents: { parts: { inlineData?: { mimeType: string; data: string } }[] }[];
          };
          const blob = contents[0]?.parts[1]?.inlineData;
          expect(blob?.mimeType).toBe("audio/wav");
          expect(Buffer.from(blob?.data ?? "", "base64").equals(sound)).toBe(true);
        } else expect(body.includes(sound)).toBe(true);
        expect(last()?.headers["content-length"]).toBe(String(body.length));
      }
    }
  });

  test("is read again for a further attempt", async () => {
    const models = ["sandbox-nova", "sandbox-flash"];
    const sound = spokenScript(
      { fault: { kind: "status", status: 500, models } },
      "quick brown foxes ".repeat(40).trim(),
    );
    expect(sound.length).toBeGreaterThan(1 << 20);
    const calls = requests().length;
    const response = await transcribe(gateway, { model: "three" }, { sound });
    expect([response.status, response.headers.get("x-service-attempts")]).toEqual([200, "3"]);
    expect(((await response.json()) as { text: string }).text).toStartWith("quick brown foxes quick");
    const [deepgram, , openai] = requests().slice(calls);
    expect(Buffer.from(deepgram?.body ?? "").equals(sound)).toBe(true);
    expect(Buffer.from(openai?.body ?? "").includes(sound)).toBe(true);
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      routing: { chose_provider: "openai", attempts: 3 },
    });
  });

  test("has a name by which a provider tells its format, and no path", async () => {
    expect((await transcribe(gateway, {}, { filename: "blob" })).status).toBe(200);
    expect(Buffer.from(last()?.body ?? "").toString("latin1")).toContain('filename="blob.wav"');
    expect((await transcribe(gateway, {}, { filename: "../../etc/pass\0wd.mp3" })).status).toBe(200);
    const sent = Buffer.from(last()?.body ?? "").toString("latin1");
    expect(sent).toContain('filename="passwd.mp3"');
    expect(sent).toContain("Content-Type: audio/wav");
  });
});

describe("what is sent", () => {
  const sentFields = async () => {
    const response = new Response(last()?.body as Uint8Array<ArrayBuffer>, {
      headers: { "content-type": last()?.headers["content-type"] ?? "" },
    });
    const form = await response.formData();
    return [...form.entries()].filter(([, value]) => typeof value === "string");
  };

  test("an OpenAI-shaped server gets the fields as they were written, save the model's name", async () => {
    await transcribe(gateway, {
      language: "en",
      prompt: 'Names: "Ann"\r\nand Bob 😀',
      "timestamp_granularities[]": ["word", "segment"],
      response_format: "verbose_json",
      temperature: "0.20",
      "include[]": "logprobs",
      "chunking_strategy[type]": "server_vad",
      "keywords[]": ["one", "two"],
    });
    expect(await sentFields()).toEqual([
      ["model", "sandbox-transcription"],
      ["language", "en"],
      ["prompt", 'Names: "Ann"\r\nand Bob 😀'],
      ["timestamp_granularities[]", "word"],
      ["timestamp_granularities[]", "segment"],
      ["response_format", "verbose_json"],
      ["temperature", "0.20"],
      ["include[]", "logprobs"],
      ["chunking_strategy[type]", "server_vad"],
      ["keywords[]", "one"],
      ["keywords[]", "two"],
    ]);
  });

  test("ElevenLabs gets its own words", async () => {
    await transcribe(gateway, { model: transcriberAt("elevenlabs"), language: "en", temperature: "0.5" });
    expect(last()).toMatchObject({ path: "/v1/speech-to-text", headers: { "xi-api-key": "a-key" } });
    expect(await sentFields()).toEqual([
      ["model_id", "sandbox-scribe"],
      ["timestamps_granularity", "word"],
      ["tag_audio_events", "false"],
      ["language_code", "en"],
      ["temperature", "0.5"],
    ]);
  });

  test("Deepgram is asked to find the language unless told", async () => {
    await transcribe(gateway, { model: transcriberAt("deepgram") });
    expect(last()?.path).toBe("/v1/listen?model=sandbox-nova&smart_format=true&detect_language=true");
    expect(last()?.headers).toMatchObject({ authorization: "Token a-key", "content-type": "audio/wav" });
    await transcribe(gateway, { model: transcriberAt("deepgram"), language: "pt-BR" });
    expect(last()?.path).toBe("/v1/listen?model=sandbox-nova&smart_format=true&language=pt-BR");
  });

  test("Gemini is told in words", async () => {
    const fields = { model: transcriberAt("gemini"), language: "de", prompt: "Namen", temperature: "0.1" };
    await transcribe(gateway, fields);
    const { contents, generationConfig } = JSON.parse(Buffer.from(last()?.body ?? "").toString()) as {
      contents: { parts: { text?: string }[] }[];
      generationConfig: object;
    };
    expect(contents[0]?.parts[0]?.text).toMatch(/^Transcribe .* in German\. .* Context and spelling: Namen$/);
    expect(generationConfig).toEqual({ temperature: 0.1 });
    await transcribe(gateway, fields, { path: "/v1/audio/translations" });
    expect(Buffer.from(last()?.body ?? "").toString()).toContain("Translate the speech in this audio into English.");
  });
});

describe("events", () => {
  const sse = (...events: (object | string)[]) =>
    events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
  const asked = () => transcribe(gateway, { model: "events", stream: true });

  test("of OpenAI are passed on as they are, however they are cut", async () => {
    const events = sse(
      { type: "transcript.text.delta", delta: "Hé", logprobs: [] },
      { type: "transcript.text.segment", id: "seg_1", start: 0, end: 1, text: "Hé", speaker: "A" },
      { type: "transcript.text.done", text: "Hé", usage: { type: "tokens", input_tokens: 14, output_tokens: 3 } },
    );
    upstream.answerBytes(events, 7);
    const response = await asked();
    expect(await response.text()).toBe(events);
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      provider_usage: { raw_fields: { input_tokens: 14 } },
    });
  });

  test("of vLLM, and of servers that send texts, are put into OpenAI's form", async () => {
    const chunk = (content: string) => ({
      object: "transcription.chunk",
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
    });
    for (const events of [
      sse(chunk("Hello"), chunk(" world"), { ...chunk(""), choices: [] }, "[DONE]"),
      sse({ text: "Hello" }, { text: " world" }),
    ]) {
      upstream.answerBytes(events);
      expect(eventsOf(await (await asked()).text())).toEqual([
        { type: "transcript.text.delta", delta: "Hello" },
        { type: "transcript.text.delta", delta: " world" },
        { type: "transcript.text.done", text: "Hello world" },
      ]);
    }
  });

  test.each<[string, string]>([
    ["that are no JSON", "data: hello\n\n"],
    ["with an error", 'data: {"error":{"message":"No.","type":"server_error"}}\n\n'],
    ["without a text", 'data: {"type":"transcript.text.done"}\n\n'],
    ["that end at once", ""],
  ])("%s are an error before the first byte", async (_, events) => {
    upstream.answerBytes(events);
    const response = await asked();
    expect(response.status).toBe(502);
    expect(await gateway.record(idOf(response))).toMatchObject({ status: "failed", billing: { amount_microusd: 0 } });
  });

  test("that break off end with an error event, and are free", async () => {
    upstream.answerBytes(sse({ type: "transcript.text.delta", delta: "Hello" }));
    const response = await asked();
    expect(await response.text()).toMatch(/\ndata: \{"error":\{[^\n]*\}\}\n\n$/);
    expect(await gateway.eventualRecord(idOf(response) ?? "")).toMatchObject({
      status: "failed",
      billing: { amount_microusd: 0 },
    });
  });

  test("are made of a whole answer of a model that knows none", async () => {
    const sound = spokenScript({ ignore_stream: true });
    for (const response_format of ["json", "text"]) {
      const events = eventsOf(await (await transcribe(gateway, { stream: true, response_format }, { sound })).text());
      expect(events).toMatchObject([
        { type: "transcript.text.delta", delta: text },
        { type: "transcript.text.done", text, usage: { type: "duration" } },
      ]);
    }
  });
});

describe("servers of OpenAI's shape that differ from it", () => {
  const answered = (body: string, contentType: string) => {
    oddAnswer = () => new Response(body, { headers: { "content-type": contentType } });
  };

  test("call a text HTML", async () => {
    answered(" Hello world\n", "text/html; charset=utf-8");
    const response = await transcribe(gateway, { model: "odd", response_format: "text" });
    expect([response.headers.get("content-type"), await response.text()]).toEqual([
      "text/plain; charset=utf-8",
      " Hello world\n",
    ]);
  });

  test("answer with JSON if a text is asked for", async () => {
    answered('{"text":"Hello world"}', "application/json");
    expect(await (await transcribe(gateway, { model: "odd", response_format: "text" })).text()).toBe("Hello world\n");
    expect((await transcribe(gateway, { model: "odd", response_format: "srt" })).status).toBe(502);
  });

  test("tell the duration without usage, which counts", async () => {
    answered('{"task":"transcribe","duration":2.7104,"text":"Hello","segments":[]}', "application/json");
    const response = await transcribe(gateway, { model: "odd", response_format: "verbose_json" });
    expect(await gateway.record(idOf(response))).toMatchObject({
      usage: { dimensions: [{ name: "second", quantity: 2.71 }], measurement: { input: "provider" } },
    });
  });

  test("tell the words of hours", async () => {
    const words = Array.from({ length: 30_000 }, (_, index) => ({
      word: "word",
      start: index / 3,
      end: (index + 1) / 3,
    }));
    answered(JSON.stringify({ task: "transcribe", duration: 10_000, text: "word", words }), "application/json");
    const response = await transcribe(gateway, {
      model: "odd",
      response_format: "verbose_json",
      "timestamp_granularities[]": "word",
    });
    expect(response.status).toBe(200);
    expect(((await response.json()) as { words: object[] }).words).toHaveLength(30_000);
  });

  test.each([
    ["no text", '{"segments":[]}'],
    ["a text that is none", '{"text":5}'],
    ["a list", "[]"],
    ["seconds below 0", '{"text":"a","usage":{"type":"duration","seconds":-1}}'],
  ])("that answer with %s", async (name, body) => {
    answered(body, "application/json");
    const response = await transcribe(gateway, { model: "odd" });
    if (!name.startsWith("seconds")) expect(response.status).toBe(502);
    else {
      expect(await gateway.record(idOf(response))).toMatchObject({
        usage: { measurement: { input: "local_estimate" } },
      });
    }
  });
});

describe("a caller who leaves", () => {
  test("before the first byte pays nothing", async () => {
    const controller = new AbortController();
    const { key } = await gateway.newKey();
    const headers = { authorization: `Bearer ${key}` };
    const calls = requests().length;
    const sound = spokenScript({ latency_ms: 20_000 });
    const asked = transcribe(gateway, {}, { sound, headers, signal: controller.signal });
    await gateway.sandbox.waitFor(() => requests().length > calls);
    controller.abort();
    await asked.catch(() => null);
    let records: unknown[] = [];
    await until("the record", async () => {
      const list = (await (await gateway.fetch("/api/usage/requests", { headers })).json()) as { data: unknown[] };
      records = list.data;
      return records.length > 0;
    });
    expect(records).toMatchObject([{ status: "cancelled", billing: { amount_microusd: 0 } }]);
  });

  test("a stream pays all seconds", async () => {
    const controller = new AbortController();
    const sound = spokenScript({ chunk_delay_ms: 300 });
    const response = await transcribe(gateway, { stream: true }, { sound, signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    await reader?.read().catch(() => null);
    const record = await gateway.eventualRecord(idOf(response) ?? "");
    expect(record).toMatchObject({
      status: "cancelled",
      usage: { measurement: { input: "local_estimate", output: "local_estimate" } },
      billing: { status: "charged" },
    });
    const [seconds] = record.usage.dimensions;
    expect(seconds?.quantity).toBeCloseTo((sound.length - 44) / 48_000, 2);
  });
});

describe("an Idempotency-Key", () => {
  test.each(["json", "text", "srt"])("gives the first answer again: %s", async (format) => {
    const headers = { "idempotency-key": `transcript-${format}` };
    const first = await transcribe(gateway, { response_format: format }, { headers });
    const calls = requests().length;
    const second = await transcribe(gateway, { response_format: format }, { headers });
    expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect([await second.text(), second.headers.get("idempotent-replayed")]).toEqual([await first.text(), "true"]);
    expect(requests().length).toBe(calls);
  });

  test("stands for one file", async () => {
    const headers = { "idempotency-key": "transcript-file" };
    await transcribe(gateway, {}, { headers });
    const second = await transcribe(gateway, {}, { headers, sound: spoken("Another one.") });
    expect([second.status, await second.json()]).toMatchObject([409, { error: { code: "idempotency_conflict" } }]);
  });

  test("is free again after a failure", async () => {
    const headers = { "idempotency-key": "transcript-failure" };
    const sound = spokenScript({ fault: { kind: "status", status: 500, times: 1, key: "transcript" } });
    expect((await transcribe(gateway, {}, { headers, sound })).status).toBe(502);
    expect((await transcribe(gateway, {}, { headers, sound })).status).toBe(200);
  });
});

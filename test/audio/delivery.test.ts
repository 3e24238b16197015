import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startByteUpstream, type ByteUpstream } from "../byte-upstream.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { until } from "../until.testkit.ts";
import {
  modelAt,
  providersAt,
  scripted,
  speak,
  speechModel,
  speechProviders,
  startSpeechGateway,
  voices,
} from "./speech.testkit.ts";

/** Sound on its way: as it comes, broken off, left by its caller, and repeated. */

let gateway: TestGateway;
let upstream: ByteUpstream;
beforeAll(async () => {
  upstream = await startByteUpstream();
  gateway = await startSpeechGateway(
    [
      speechModel("two", ["elevenlabs", "openai"], {
        retry: { attempts: 3, budgetMs: 5_000, on: ["server_error", "invalid_response", "unreachable"] },
      }),
      speechModel("bytes", ["openai"], { targets: [{ provider: "bytes", model: "any" }] }),
      speechModel("impatient", ["openai"], { targets: [{ provider: "impatient", model: "sandbox-speech" }] }),
    ],
    {
      providers: (url) => [
        ...providersAt(url),
        { id: "bytes", baseUrl: upstream.url },
        {
          id: "impatient",
          baseUrl: url,
          timeouts: { connectMs: 1_000, firstByteMs: 300, idleMs: 300, totalMs: 60_000 },
        },
      ],
    },
  );
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

describe.each(speechProviders)("%s", (provider) => {
  const usual = { model: modelAt(provider), voice: voices[provider], response_format: "wav" };

  test("sound that breaks off breaks the caller's connection, and is free", async () => {
    const input = scripted({ fault: { kind: "cut", after: 3 } }, "one two three four five six");
    const response = await speak(gateway, { ...usual, input });
    if (provider === "gemini") {
      // Its JSON is read whole before anything is sent.
      expect(response.status).toBe(502);
    } else {
      expect(response.status).toBe(200);
      expect(response.bytes()).rejects.toThrow();
    }
    expect(await gateway.eventualRecord(idOf(response) ?? "")).toMatchObject({
      status: "failed",
      billing: { status: "refunded", amount_microusd: 0 },
    });
  });

  test("events that break off end with an error event", async () => {
    const input = scripted({ fault: { kind: "cut", after: 3 } }, "one two three four five six");
    const response = await speak(gateway, { ...usual, input, stream_format: "sse" });
    const text = await response.text();
    if (provider === "gemini") expect(response.status).toBe(502);
    else expect(text).toMatch(/\ndata: \{"error":\{[^\n]*\}\}\n\n$/);
    expect(await gateway.eventualRecord(idOf(response) ?? "")).toMatchObject({ status: "failed" });
  });
});

describe("before the first byte", () => {
  test.each<[string, object]>([
    ["a 500", { fault: { kind: "status", status: 500, models: ["sandbox-eleven"] } }],
    ["HTML in place of sound", { fault: { kind: "html", status: 200, models: ["sandbox-eleven"] } }],
    ["an empty answer", { fault: { kind: "empty_body", models: ["sandbox-eleven"] } }],
    ["a reset", { fault: { kind: "reset", models: ["sandbox-eleven"] } }],
  ])("%s leads to the next provider, and the answer is charged once", async (_, script) => {
    const response = await speak(gateway, { model: "two", input: scripted(script), response_format: "wav" });
    expect([response.status, response.headers.get("x-service-attempts")]).toEqual([200, "2"]);
    await response.bytes();
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      billing: { status: "charged" },
      routing: { chose_provider: "openai", attempts: 2 },
    });
  });

  test("a caller who leaves pays nothing", async () => {
    const controller = new AbortController();
    const input = scripted({ latency_ms: 20_000 });
    const { key } = await gateway.newKey();
    const headers = { authorization: `Bearer ${key}` };
    const calls = gateway.sandbox.requests.length;
    const asked = speak(gateway, { input }, { signal: controller.signal, headers });
    await gateway.sandbox.waitFor(() => gateway.sandbox.requests.length > calls);
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

  test.each([
    ["headers", "first_byte_timeout"],
    ["first_byte", "first_byte_timeout"],
  ])("silence at the %s is a 504", async (at, code) => {
    const response = await speak(gateway, {
      model: "impatient",
      input: scripted({ fault: { kind: "stall", at } }),
    });
    expect([response.status, await response.json()]).toMatchObject([504, { error: { code } }]);
  });
});

describe("after the first byte", () => {
  test("a caller who leaves pays for all characters", async () => {
    const controller = new AbortController();
    const input = scripted({ chunk_delay_ms: 200 }, "one two three four five six seven eight nine ten");
    const response = await speak(gateway, { input, response_format: "wav" }, { signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    await reader?.read().catch(() => null);
    expect(await gateway.eventualRecord(idOf(response) ?? "")).toMatchObject({
      status: "cancelled",
      usage: { dimensions: [{ name: "character", quantity: input.length }] },
      billing: { status: "charged", amount_microusd: Math.round(input.length * 15) },
    });
  });

  test("silence breaks the connection, and the record says why", async () => {
    const input = scripted({ fault: { kind: "stall", after: 2 } }, "one two three four");
    const response = await speak(gateway, { model: "impatient", input, response_format: "wav" });
    expect(response.status).toBe(200);
    expect(response.bytes()).rejects.toThrow();
    expect(await gateway.eventualRecord(idOf(response) ?? "")).toMatchObject({
      status: "failed",
      error: { code: "idle_timeout" },
      billing: { amount_microusd: 0 },
    });
  });

  test("sound comes as it is made", async () => {
    const input = scripted({ chunk_delay_ms: 300 }, "one two three");
    const response = await speak(gateway, { input, response_format: "pcm" });
    const reader = response.body?.getReader();
    const first = await reader?.read();
    // The first word alone: the others have not been made yet.
    expect(first?.value?.length).toBe((0.15 + 0.05) * 48_000);
    await reader?.cancel();
  });
});

describe("what bytes are", () => {
  const sounds: readonly (readonly [string, string, string])[] = [
    ["mp3", "ID3\u0004\u0000\u0000\u0000\u0000\u0000\u0000", "audio/mpeg"],
    ["ogg", "OggS\u0000\u0002", "audio/ogg"],
    ["flac", "fLaC\u0000\u0000\u0000\u0022", "audio/flac"],
    ["wav", "RIFF\u0000\u0000\u0000\u0000WAVEfmt ", "audio/wav"],
  ];

  // The upstream calls everything an event stream.
  test.each(sounds)("is told by the bytes and not by the provider: %s", async (_, head, contentType) => {
    upstream.answerBytes(head + "\u0001".repeat(100), 1);
    const response = await speak(gateway, { model: "bytes" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, contentType]);
    expect((await response.text()).length).toBe(head.length + 100);
  });

  test.each([
    ["HTML", "<!DOCTYPE html><html><body>no</body></html>"],
    ["SVG", '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ["JSON", '{"error": "none"}'],
    ["a text", "Service temporarily unavailable"],
    ["HTML after white space", "\n\n   <html>\u0000\u0001"],
  ])("%s is refused, for samples too", async (_, text) => {
    for (const format of ["mp3", "pcm"]) {
      upstream.answerBytes(text, 3);
      const response = await speak(gateway, { model: "bytes", response_format: format });
      expect([response.status, await response.json()]).toMatchObject([
        502,
        { error: { code: "upstream_invalid_response" } },
      ]);
    }
  });
});

describe("large sound", () => {
  test("passes with a reader that is slow, byte for byte", async () => {
    const input = "a ".repeat(1_900).trim();
    const plain = await (await speak(gateway, { input, response_format: "pcm" })).bytes();
    expect(plain.length).toBeGreaterThan(10_000_000);
    const response = await speak(gateway, { input, response_format: "pcm" });
    const parts: Uint8Array[] = [];
    for await (const part of response.body ?? []) {
      parts.push(part);
      if (parts.length < 5) await Bun.sleep(50);
    }
    expect(Buffer.concat(parts).equals(plain)).toBe(true);
  });
});

describe("an Idempotency-Key", () => {
  test("is used up by an answer of sound, which is not kept: the repetition is a 409, and is not charged", async () => {
    const headers = { "idempotency-key": "speech-1" };
    const first = await speak(gateway, {}, { headers });
    await first.bytes();
    const calls = gateway.sandbox.requests.length;
    const second = await speak(gateway, {}, { headers });
    expect([second.status, await second.json()]).toMatchObject([409, { error: { code: "idempotency_conflict" } }]);
    expect(gateway.sandbox.requests.length).toBe(calls);
  });

  test("is free again after a failure", async () => {
    const headers = { "idempotency-key": "speech-2" };
    const input = scripted({ fault: { kind: "status", status: 500, times: 1, key: "speech-2" } });
    expect((await speak(gateway, { input }, { headers })).status).toBe(502);
    expect((await speak(gateway, { input }, { headers })).status).toBe(200);
  });
});

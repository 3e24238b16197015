import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ByteUpstream, startByteUpstream } from "../byte-upstream.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { speak, speechModel, startSpeechGateway } from "./speech.testkit.ts";

/** What callers see of events of speech, with and without `server.hide_provider`. */

const gateways = new Map<boolean, TestGateway>();
let upstream: ByteUpstream;
beforeAll(async () => {
  upstream = await startByteUpstream();
  for (const hideProvider of [false, true]) {
    const models = [speechModel("bytes", [], { targets: [{ provider: "bytes", model: "any" }] })];
    const providers = (url: string) => [
      { id: "openai", baseUrl: url },
      { id: "elevenlabs", dialects: ["elevenlabs"], baseUrl: url },
      { id: "deepgram", dialects: ["deepgram"], baseUrl: url },
      { id: "gemini", dialects: ["gemini"], baseUrl: url },
      { id: "bytes", baseUrl: upstream.url },
    ];
    gateways.set(hideProvider, await startSpeechGateway(models, { server: { hideProvider }, providers }));
  }
});
afterAll(async () => {
  for (const gateway of gateways.values()) await gateway.stop();
  await upstream.stop();
});

const audio = Buffer.alloc(600, 7).toString("base64");
const sent = [
  ": served by acme",
  `id: acme-1\nevent: speech.audio.delta\ndata: {"type":"speech.audio.delta","audio":"${audio}","server":"acme"}`,
  'event: acme.queue\ndata: {"type":"acme.queue","position":2}',
  `data: {"type":"speech.audio.delta","audio":"${audio}"}`,
  'data: {"type":"speech.audio.done","usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7,"acme_units":1},"host":"acme"}',
];

async function eventsOf(hideProvider: boolean): Promise<string> {
  const gateway = gateways.get(hideProvider);
  if (gateway === undefined) throw new Error("The gateway has not been started.");
  upstream.answerBytes(`${sent.join("\n\n")}\n\n`);
  const body = { model: "bytes", response_format: "pcm", stream_format: "sse" };
  return (await speak(gateway, body)).text();
}

test("events are passed on as they are", async () => {
  const events = await eventsOf(false);
  for (const event of sent) expect(events).toContain(event);
});

test("nothing of a hidden provider's own reaches callers", async () => {
  expect(await eventsOf(true)).toBe(
    [
      `data: {"type":"speech.audio.delta","audio":"${audio}"}`,
      `data: {"type":"speech.audio.delta","audio":"${audio}"}`,
      'data: {"type":"speech.audio.done","usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7}}',
      "",
    ].join("\n\n"),
  );
});

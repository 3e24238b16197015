import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ByteUpstream, startByteUpstream } from "../byte-upstream.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { generate, png } from "../images/images.testkit.ts";
import { speak, speechModel, startSpeechGateway } from "./speech.testkit.ts";
import { transcribe, transcriptionModel } from "./transcription.testkit.ts";

/** What callers see of events of speech, of transcripts and of images, with and without `server.hide_provider`. */

const gateways = new Map<boolean, TestGateway>();
let upstream: ByteUpstream;
beforeAll(async () => {
  upstream = await startByteUpstream();
  for (const hideProvider of [false, true]) {
    const targets = [{ provider: "bytes", model: "any" }];
    const models = [
      speechModel("bytes", [], { targets }),
      transcriptionModel("heard", [], { targets }),
      speechModel("drawn", [], { targets, endpoints: ["images_generations"], prices: { image: 1 } }),
    ];
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

/** Events of a provider that speaks of itself, and the same as a caller sees them to whom it is hidden. */
interface Case {
  readonly sent: readonly string[];
  readonly shown: readonly string[];
  readonly ask: (gateway: TestGateway) => Promise<Response>;
}

const usage = '"usage":{"type":"tokens","input_tokens":3,"output_tokens":4,"total_tokens":7';
const image = Buffer.from(await png(16, 16).bytes()).toString("base64");

const cases: Readonly<Record<string, Case>> = {
  speech: {
    sent,
    shown: [
      `data: {"type":"speech.audio.delta","audio":"${audio}"}`,
      `data: {"type":"speech.audio.delta","audio":"${audio}"}`,
      'data: {"type":"speech.audio.done","usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7}}',
    ],
    ask: (gateway) => speak(gateway, { model: "bytes", response_format: "pcm", stream_format: "sse" }),
  },
  "a transcript": {
    sent: [
      ": served by acme",
      'id: acme-1\ndata: {"type":"transcript.text.delta","delta":"Hello","server":"acme","logprobs":[{"token":"Hello","logprob":-0.5,"bytes":[72],"acme":1}]}',
      'event: acme.queue\ndata: {"type":"acme.queue","position":2}',
      'data: {"type":"transcript.text.segment","id":"s1","start":0,"end":1.5,"text":"Hello","speaker":"A","node":"acme-7"}',
      `data: {"type":"transcript.text.done","text":"Hello","host":"acme",${usage},"acme_units":1}}`,
    ],
    shown: [
      'data: {"type":"transcript.text.delta","delta":"Hello","logprobs":[{"token":"Hello","logprob":-0.5,"bytes":[72]}]}',
      'data: {"type":"transcript.text.segment","id":"s1","start":0,"end":1.5,"text":"Hello","speaker":"A"}',
      `data: {"type":"transcript.text.done","text":"Hello",${usage}}}`,
    ],
    ask: (gateway) => transcribe(gateway, { model: "heard", stream: true }),
  },
  "an image": {
    sent: [
      ": served by acme",
      `id: acme-1\ndata: {"type":"image_generation.partial_image","b64_json":"${image}","partial_image_index":0,"server":"acme"}`,
      'event: acme.queue\ndata: {"type":"acme.queue","position":2}',
      `data: {"type":"image_generation.completed","b64_json":"${image}","created_at":1,"size":"16x16","usage":{"input_tokens":3,"output_tokens":4,"total_tokens":7,"acme_units":1},"host":"acme"}`,
    ],
    shown: [
      `data: {"type":"image_generation.partial_image","b64_json":"${image}","partial_image_index":0}`,
      `data: {"type":"image_generation.completed","b64_json":"${image}","created_at":1,"size":"16x16","usage":{"total_tokens":7,"input_tokens":3,"output_tokens":4}}`,
    ],
    ask: (gateway) => generate(gateway, { model: "drawn", stream: true, partial_images: 1 }),
  },
};

async function eventsOf(hideProvider: boolean, { sent: events, ask }: Case): Promise<string> {
  const gateway = gateways.get(hideProvider);
  if (gateway === undefined) throw new Error("The gateway has not been started.");
  upstream.answerBytes(`${events.join("\n\n")}\n\n`);
  return (await ask(gateway)).text();
}

describe.each(Object.entries(cases))("events of %s", (_name, each) => {
  test("are passed on as they are", async () => {
    const events = await eventsOf(false, each);
    for (const event of each.sent) expect(events).toContain(event);
  });

  test("tell nothing of a hidden provider's own", async () => {
    expect(await eventsOf(true, each)).toBe([...each.shown, ""].join("\n\n"));
  });
});

test("a hidden provider's own form of transcript and its counts become OpenAI's", async () => {
  const own = [
    'data: {"choices":[{"delta":{"content":"Hello"}}],"server":"acme"}',
    'data: {"choices":[],"usage":{"prompt_tokens":3,"input_tokens":3,"output_tokens":4,"acme_units":1}}',
    "data: [DONE]",
  ];
  const ask = (gateway: TestGateway) => transcribe(gateway, { model: "heard", stream: true });
  const events = await eventsOf(true, { sent: own, shown: [], ask });
  expect(events).toContain('"text":"Hello"');
  expect(events).toContain('"input_tokens":3');
  expect(events).not.toContain("acme");
});

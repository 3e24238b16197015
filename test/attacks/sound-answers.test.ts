import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { wavOf } from "../../src/dialects/sound/wav-file.ts";
import { providersAt, speak, speechModel, startSpeechGateway } from "../audio/speech.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { type Behaviour, type HostileProvider, startHostileProvider } from "./hostile-provider.testkit.ts";

/** Sound that lies about itself, and other answers in place of sound, by providers that mean harm or are broken. */

const sample = Buffer.alloc(4_800, 1);
const honestWav = wavOf(sample, { hertz: 24_000, channels: 1, bitsPerSample: 16 });

/** A WAV file whose header says that a second has one byte. */
const slowWav = Buffer.from(honestWav);
slowWav.writeUInt32LE(1, 28);

function ogg(position: bigint): Buffer {
  const head = Buffer.alloc(28 + 19);
  head.write("OggS");
  head[5] = 2;
  head[26] = 1;
  head[27] = 19;
  head.write("OpusHead", 28);
  const page = Buffer.alloc(28 + 100);
  page.write("OggS");
  page.writeBigInt64LE(position, 6);
  page[26] = 1;
  page[27] = 100;
  return Buffer.concat([head, page]);
}

const flac = Buffer.alloc(600);
flac.write("fLaC");
flac.writeUIntBE(1 << 4, 18, 3);
flac.writeUInt8(15, 21);
flac.writeUInt32BE(2 ** 32 - 1, 22);

const bytes =
  (body: Uint8Array | string): Behaviour =>
  (response) =>
    response.writeHead(200, { "content-type": "audio/mpeg" }).end(body);
const events =
  (...data: string[]): Behaviour =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(data.map((line) => `data: ${line}\n\n`).join(""));
  };
const delta = (sound: string) => JSON.stringify({ type: "speech.audio.delta", audio: sound });
const done = JSON.stringify({ type: "speech.audio.done", usage: { input_tokens: 1, output_tokens: 1 } });

const behaviours: Record<string, Behaviour> = {
  "slow-wav": bytes(slowWav),
  ogg: bytes(ogg(2n ** 62n)),
  flac: bytes(flac),
  "no-base64": events(delta("!!!!"), delta("...."), done),
  utf8: bytes("余额不足，请充值后再试。余额不足，请充值后再试。余额不足，请充值后再试。"),
  utf16: bytes(Buffer.from("\ufeff<html><body>The service is not available.</body></html>", "utf16le")),
};

let provider: HostileProvider;
let gateway: TestGateway;
beforeAll(async () => {
  provider = await startHostileProvider(behaviours);
  const names = Object.keys(behaviours);
  gateway = await startSpeechGateway(
    names.map((name) =>
      speechModel(name, ["openai"], { targets: [{ provider: name, model: "any" }], prices: { second: 1_000_000 } }),
    ),
    { providers: (url) => [...providersAt(url), ...names.map((id) => ({ id, baseUrl: provider.urlOf(id) }))] },
  );
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

describe("sound that claims to last for ever", () => {
  test("is measured by its samples, if the bytes of a second in its header are not theirs", async () => {
    const response = await speak(gateway, { model: "slow-wav", input: "Hello world" });
    await response.bytes();
    const { billing, usage } = await gateway.record(idOf(response));
    expect(usage.dimensions).toMatchObject([{ name: "second", quantity: 0.1 }]);
    expect(billing).toMatchObject({ amount_microusd: 100_000 });
  });

  test.each(["ogg", "flac"])("is charged as far as the text can take: %s", async (model) => {
    const response = await speak(gateway, { model, input: "Hello world" });
    expect(response.status).toBe(200);
    await response.bytes();
    const { billing, usage } = await gateway.record(idOf(response));
    // A second for each of 11 characters, and ten more.
    expect(usage.dimensions).toMatchObject([{ name: "second", quantity: 21 }]);
    expect(billing).toMatchObject({ amount_microusd: 21_000_000, suspect: true });
  });
});

describe("what is no sound", () => {
  test.each(["utf8", "utf16"])("is a failure and free: text in %s", async (model) => {
    const response = await speak(gateway, { model });
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { error: { code: "upstream_invalid_response" } },
    ]);
  });

  test("is a failure and free: events whose base64 holds no byte", async () => {
    const response = await speak(gateway, { model: "no-base64", stream_format: "sse" });
    await response.text();
    expect(await gateway.eventualRecord(idOf(response) ?? "")).toMatchObject({
      status: "failed",
      billing: { amount_microusd: 0 },
    });
  });
});

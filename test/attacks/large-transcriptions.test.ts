import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createInstallation, type Installation } from "../installation.testkit.ts";
import type { GatewayProcess } from "../process.testkit.ts";

/** A transcription of 25 MB of sound moves less than 40 MB of the gateway's memory, also if it is sent twice. */

const endpoints = "endpoints: [audio_transcriptions]";

let installation: Installation;
let gateway: GatewayProcess;
beforeAll(async () => {
  installation = await createInstallation({
    providers: (url) => [
      `{ id: elevenlabs, dialect: elevenlabs, base_url: "${url}", api_key: a-key }`,
      `{ id: deepgram, dialect: deepgram, base_url: "${url}", api_key: a-key }`,
      `{ id: gemini, dialect: gemini, base_url: "${url}", api_key: a-key }`,
    ],
    models: [
      `{ id: once, ${endpoints}, targets: [{ provider: sandbox, model: sandbox-transcription }], prices: { second: 0.0001 } }`,
      `{ id: twice, ${endpoints}, targets: [{ provider: elevenlabs, model: sandbox-status-500 }, { provider: deepgram, model: sandbox-nova }] }`,
      `{ id: inline, ${endpoints}, targets: [{ provider: gemini, model: sandbox-flash }] }`,
    ],
  });
  gateway = await installation.start();
});
afterAll(() => installation.remove());

const megabyte = 1_000_000;
const residentBytes = () => {
  const [, kilobytes] = /VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1_024;
};

/** So many bytes of a WAV file. */
function soundOf(bytes: number): Blob {
  const header = Buffer.alloc(44);
  header.write("RIFF\0\0\0\0WAVEfmt ", "latin1");
  header.writeUInt32LE(16, 16);
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [2, 32],
    [16, 34],
  ] as const)
    header.writeUInt16LE(value, at);
  header.writeUInt32LE(24_000, 24);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(bytes - 44, 40);
  const piece = crypto.getRandomValues(new Uint8Array(50_000));
  const pieces = Array.from({ length: Math.ceil(bytes / piece.length) }, () => piece);
  return new Blob([Uint8Array.from(header), ...pieces]).slice(0, bytes);
}

async function transcribe(model: string, bytes: number): Promise<void> {
  const form = new FormData();
  form.set("model", model);
  form.set("file", soundOf(bytes), "large.wav");
  const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${installation.key}` },
    body: form,
  });
  expect(await response.json()).toMatchObject({ text: `I hear ${bytes} bytes of sound.` });
}

/** The most memory that the gateway had while `work` ran, over what it had before. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = residentBytes();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, residentBytes())), 2);
  await work();
  clearInterval(timer);
  return Math.max(most, residentBytes()) - before;
}

test.each([
  ["once", 25 * megabyte],
  ["twice", 25 * megabyte],
  // As much as Google takes, in base64.
  ["inline", 14 * megabyte],
])("sent %s", async (model, bytes) => {
  // What the first one loads is not a file's.
  await transcribe(model, bytes);
  const growths: number[] = [];
  for (let index = 1; index <= 5; index++) growths.push(await growth(() => transcribe(model, bytes)));
  // When memory is collected is the garbage collector's own affair: of five, that in the middle counts.
  const [, , middle = Infinity] = growths.toSorted((a, b) => a - b);
  expect(middle).toBeLessThan(40 * megabyte);
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AnswerFault } from "../../exchange.ts";
import { base64Of } from "./base64.ts";
import { decodeTranscript } from "./decode-transcript.ts";

async function* piecesOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function encoded(pieces: readonly Uint8Array[]): Promise<string> {
  let text = "";
  for await (const piece of base64Of(piecesOf(pieces))) text += Buffer.from(piece).toString("latin1");
  return text;
}

describe("base64", () => {
  test("is that of all bytes, however they are cut into pieces", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 }), async (pieces) => {
        expect(await encoded(pieces)).toBe(Buffer.concat(pieces).toString("base64"));
      }),
    );
  });

  test("of more than is encoded at once", async () => {
    for (const size of [49_151, 49_152, 49_153, 300_000]) {
      const bytes = crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536)));
      const pieces = [bytes, Buffer.alloc(Math.max(0, size - bytes.length), 7)];
      expect(await encoded(pieces)).toBe(Buffer.concat(pieces).toString("base64"));
    }
  });
});

describe("an answer", () => {
  const answer = (parts: object[], more: object = {}) => ({
    candidates: [{ content: { parts }, finishReason: "STOP", ...more }],
    usageMetadata: {
      promptTokenCount: 40,
      candidatesTokenCount: 3,
      promptTokensDetails: [{ modality: "AUDIO", tokenCount: 32 }],
    },
  });

  test("is read, without what was thought", () => {
    const read = decodeTranscript(answer([{ text: "Hm.", thought: true }, { text: " Hello" }, { text: " world\n" }]));
    expect(read).toMatchObject({
      text: "Hello world",
      usage: { quantities: { input: 40, output: 3 }, parts: { input_audio: 32 } },
    });
  });

  test("may be empty, as that to silence is", () => {
    expect(decodeTranscript(answer([])).text).toBe("");
  });

  test.each<[string, unknown]>([
    ["cut at its limit", answer([{ text: "Hello" }], { finishReason: "MAX_TOKENS" })],
    ["refused", { promptFeedback: { blockReason: "SAFETY" } }],
    ["without a candidate", { candidates: [] }],
    ["an error", { error: { code: 500, message: "No.", status: "INTERNAL" } }],
    ["a text", "Hello"],
  ])("that is %s is none", (_, body) => {
    expect(() => decodeTranscript(body)).toThrow(AnswerFault);
  });
});

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { bare, imagePart, text } from "../../../conversation/arbitraries.testkit.ts";
import { eventsOf } from "../../../conversation/events-of.ts";
import type { ImagePart, Part } from "../../../conversation/parts.ts";
import type { ConversationResponse } from "../../../conversation/response.ts";
import { messagesCodec } from "../codec.ts";

const context = { callerBody: {}, model: "m", fallbackId: "1", created: 1, estimatedInputTokens: 1 };
const { caller } = messagesCodec;

const answerOf = (...parts: Part[]): ConversationResponse => ({
  id: null,
  model: null,
  created: null,
  usage: null,
  candidates: [{ parts, finish: { reason: "stop" } }],
});

/** The turn as a caller sends it back. */
function echoed(content: unknown): readonly Part[] {
  const messages = [
    { role: "assistant", content },
    { role: "user", content: "Go on." },
  ];
  return caller.decodeRequest({ model: "m", max_tokens: 1, messages }).messages[0]?.parts ?? [];
}

test("an image in an answer is written as text, and is an image again when it is sent back", () => {
  const image = fc.record({ image: imagePart, signed: fc.boolean() }).map(({ image, signed }): ImagePart => {
    const clean = image.source.type === "url" ? { ...image.source, url: "https://example.com/a.png" } : image.source;
    const signature = signed ? ({ vendor: "google", value: "c2VhbA==" } as const) : undefined;
    return { ...image, source: clean, signature };
  });
  fc.assert(
    fc.property(text, image, (words, drawn) => {
      const { content } = caller.encodeResponse(answerOf({ type: "text", text: words }, drawn), context);
      expect(bare(echoed(content))).toEqual(bare([{ type: "text", text: words }, drawn]));
      expect(content).toMatchObject([
        { type: "text" },
        ...(drawn.signature === undefined ? [] : [{ type: "redacted_thinking" }]),
        { type: "text", text: expect.stringMatching(/^!\[image\]\((data:image|https:)/) },
      ]);
    }),
  );
});

test("a streamed image is the text of a block", () => {
  const drawn: ImagePart = { type: "image", source: { type: "data", mediaType: "image/png", base64: "AAAA" } };
  const encoder = caller.openStreamEncoder(context);
  const wire = eventsOf(answerOf(drawn))
    .map((event) => encoder.push(event))
    .join("");
  expect(wire).toContain('"content_block":{"type":"text","text":""}');
  expect(wire).toContain('"delta":{"type":"text_delta","text":"![image](data:image/png;base64,AAAA)"}');
});

test("text of that form from a user, or within an assistant's longer text, stays text", () => {
  const written = "![image](https://example.com/a.png)";
  const messages = [
    { role: "user", content: written },
    { role: "assistant", content: `See ${written}` },
    { role: "user", content: "Go on." },
  ];
  const { messages: decoded } = caller.decodeRequest({ model: "m", max_tokens: 1, messages });
  expect(decoded.flatMap(({ parts }) => parts.map(({ type }) => type))).toEqual(["text", "text", "text"]);
});

import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { ImagePart, Part } from "../conversation/parts.ts";
import type { ConversationRequest } from "../conversation/request.ts";
import { codecs } from "../dialects/codecs.testkit.ts";
import { plainRequest } from "../conversation/fields/field-samples.testkit.ts";
import { estimateContent, estimateTokens, maxInputTokens, quickTokens } from "./estimate.ts";
import { conversationContent } from "./prompt-content.ts";
import { slicesOf } from "./text-slices.ts";

describe("estimateTokens", () => {
  test("counts as o200k_base does", async () => {
    expect(await estimateTokens("")).toBe(0);
    expect(await estimateTokens("hello world")).toBe(2);
    expect(await estimateTokens("The quick brown fox jumps over the lazy dog.")).toBe(10);
  });

  test("treats special tokens as text", async () => {
    expect(await estimateTokens("<|endoftext|>")).toBeGreaterThan(1);
  });

  test("counts many texts at once, each for itself", async () => {
    const counts = await Promise.all(Array.from({ length: 50 }, (_, words) => estimateTokens(" hello".repeat(words))));
    expect(counts).toEqual(Array.from({ length: 50 }, (_, words) => words));
  });

  test("counts a long text in proportion", async () => {
    const tokens = await estimateTokens("The quick brown fox jumps over the lazy dog. ".repeat(20_000));
    expect(Math.abs(tokens - 200_000)).toBeLessThan(4_000);
  });

  test("does not block the process, even for a slow text", async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    // Tens of thousands of Chinese characters without a space: over 100 ms of work.
    const tokens = await estimateTokens(
      Array.from({ length: 50_000 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7919) % 20_000))).join(""),
    );
    clearInterval(ticking);
    expect(tokens).toBeGreaterThan(50_000);
    expect(turns).toBeGreaterThan(0);
  });

  test("lone surrogates and NUL are text like any other", async () => {
    expect(await estimateTokens("\ud800 \u0000 \udfff")).toBeGreaterThan(0);
  });
});

describe("slicesOf", () => {
  test("loses nothing, makes no slice too long, and cuts no character in two", () => {
    const piece = fc.tuple(fc.constantFrom("a", " ", "é ", "😀", "a😀", "\n", "漢"), fc.nat(900));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const text = pieces.map(([unit, times]) => unit.repeat(times)).join("");
        const slices = [...slicesOf(text)];
        expect(slices.join("")).toBe(text);
        for (const slice of slices) {
          expect(slice.length).toBeGreaterThan(0);
          expect(slice.length).toBeLessThanOrEqual(512);
          expect(slice.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

const chat = {
  model: "m",
  messages: [
    { role: "system", content: "You are terse." },
    { role: "user", content: [{ type: "text", text: "hello world" }, image("https://example.com/a.png")] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: '{"at":"sky"}' } }],
    },
    { role: "tool", tool_call_id: "c", content: "blue" },
  ],
};

function image(url: string) {
  return { type: "image_url", image_url: { url } };
}

const chatContent = (body: object) =>
  conversationContent(codecs["openai-chat"].caller.decodeRequest({ model: "m", ...body }, { model: "m" }));
const estimateChat = (body: object) => estimateContent(chatContent(body));
const quickChat = (body: object) => quickTokens(chatContent(body));
const estimateConversation = (request: ConversationRequest) => estimateContent(conversationContent(request));

describe("chat requests", () => {
  test("count texts, calls, images and what the format adds", async () => {
    const texts = ["You are terse.", "hello world", "look", '{"at":"sky"}', "blue"];
    const expected = (await estimateTokens(texts.join("\n"))) + 4 * 4 + 3 + 765;
    expect(await estimateChat(chat)).toBe(expected);
  });

  test("count an image by itself, not by its bytes", async () => {
    const withImage = (url: string) => ({ messages: [{ role: "user", content: [image(url)] }] });
    const inline = withImage(`data:image/png;base64,${"A".repeat(500_000)}`);
    expect(await estimateChat(inline)).toBe(4 + 3 + 765);
    expect(quickChat(inline)).toBe(4 + 3 + 765);
  });

  test("count tool definitions and the answer's schema", async () => {
    const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
    const schema = { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } };
    const plain = await estimateChat(chat);
    expect(await estimateChat({ ...chat, tools })).toBeGreaterThan(plain + 3);
    expect(await estimateChat({ ...chat, response_format: schema })).toBeGreaterThan(plain + 3);
    expect(quickChat({ ...chat, tools })).toBeGreaterThan(quickChat(chat) + 3);
  });

  test("are booked at a token for 4 bytes, rounded up", () => {
    const book = (content: string) => quickChat({ messages: [{ role: "user", content }] }) - 7;
    expect(book("hello")).toBe(2);
    expect(book("a".repeat(400))).toBe(100);
    expect(book("漢字漢字")).toBe(3);
    expect(book("")).toBe(0);
  });
});

describe("conversations", () => {
  const conversationOf = (parts: readonly Part[]) => ({
    ...plainRequest,
    tools: [],
    messages: [{ role: "user" as const, parts }],
  });
  const text: Part = { type: "text", text: "The quick brown fox jumps over the lazy dog." };
  const image: ImagePart = { type: "image", source: { type: "data", mediaType: "image/png", base64: "AAAA" } };

  test("a text has its own tokens and those of the format", async () => {
    const tokens = await estimateConversation(conversationOf([text]));
    expect(tokens).toBe((await estimateTokens("The quick brown fox jumps over the lazy dog.")) + 4 + 3);
  });

  test("attachments count, within tool results too", async () => {
    const alone = await estimateConversation(conversationOf([text]));
    expect(await estimateConversation(conversationOf([text, image]))).toBe(alone + 765);
    const result: Part = { type: "tool-result", callId: "a", parts: [image, image] };
    expect(await estimateConversation(conversationOf([text, result]))).toBe(alone + 2 * 765);
  });
});

describe("an upper bound", () => {
  const plain = conversationContent({ ...plainRequest, tools: [] });

  test("is the bytes plus the tokens that vendors add", () => {
    expect(maxInputTokens(plain, 60)).toBe(1_060);
  });

  test("allows for images, which are worth more tokens than their address has bytes", () => {
    expect(maxInputTokens({ ...plain, images: 2 }, 60)).toBe(101_060);
  });

  test("does not exist for files, videos and hosted tools", () => {
    expect(maxInputTokens({ ...plain, media: 1 }, 60)).toBeNull();
    expect(maxInputTokens({ ...plain, hostedTools: 1 }, 60)).toBeNull();
  });
});

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { ConversationResponse } from "../../../conversation/response.ts";
import type { Part } from "../../../conversation/parts.ts";
import { eventsOf } from "../../../conversation/events-of.ts";
import { decodeMessages } from "./request/decode-messages.ts";
import { encodeChatResponse } from "./answer/encode-response.ts";
import { openChatStreamEncoder } from "./answer/encode-stream.ts";
import { newSealedRoom, unsealDetails } from "./sealed-details.ts";

const context = { callerBody: {}, model: "m", fallbackId: "1", created: 1, estimatedInputTokens: 1 };
const thought = fc.record({
  type: fc.constant("reasoning" as const),
  text: fc.string({ minLength: 1 }),
  signature: fc.record({
    vendor: fc.constantFrom("anthropic" as const, "openai" as const),
    value: fc.string({ minLength: 1 }),
  }),
});
const hidden = fc.record({
  type: fc.constant("reasoning" as const),
  text: fc.constant(""),
  redacted: fc.constant(true as const),
  signature: fc.record({ vendor: fc.constant("openai" as const), value: fc.string({ minLength: 1 }) }),
});
const call: Part = { type: "tool-call", kind: "function", id: "call_1", name: "f", input: "{}" };

/** The message as kept by a client that knows `reasoning_content` and each call's `extra_content`, and no other such field. */
function handedBack({ reasoning_details: _details, ...message }: Record<string, unknown>): Part[] {
  const [read] = decodeMessages([message], []);
  return (read?.parts ?? []).filter((part) => part.type === "reasoning");
}

const bare = (parts: readonly Part[]) =>
  parts.map(({ path: _path, ...part }) => JSON.parse(JSON.stringify(part)) as unknown);

test("signatures come back through the first tool call alone, whole or streamed", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(thought, hidden), { minLength: 1, maxLength: 3 }), (thoughts) => {
      const parts: Part[] = [...thoughts, call, { ...call, id: "call_2" }];
      const response: ConversationResponse = {
        id: "1",
        model: "m",
        created: 1,
        candidates: [{ parts, finish: { reason: "tool-calls" } }],
        usage: null,
      };
      const { choices } = encodeChatResponse(response, context) as { choices: { message: Record<string, unknown> }[] };
      expect(bare(handedBack(choices[0]?.message ?? {}))).toEqual(bare(thoughts));

      const writer = openChatStreamEncoder(context);
      const wire = eventsOf(response)
        .map((event) => writer.push(event))
        .join("");
      const signatures = wire.match(/"thought_signature":"([^"]+)"/g) ?? [];
      expect(signatures.length).toBe(1);
      expect(JSON.stringify(choices)).toContain(signatures[0] ?? "none");
    }),
  );
});

test("a thought whose text was changed has no signature", () => {
  const details = [{ type: "reasoning.text", text: "Hm.", signature: "s", format: "anthropic-claude-v1", index: 0 }];
  const message = encodeChatResponse(
    {
      id: "1",
      model: "m",
      created: 1,
      candidates: [
        {
          parts: [{ type: "reasoning", text: "Hm.", signature: { vendor: "anthropic", value: "s" } }, call],
          finish: { reason: "tool-calls" },
        },
      ],
      usage: null,
    },
    context,
  );
  const signature = /"thought_signature":"([^"]+)"/.exec(JSON.stringify(message))?.[1] ?? "";
  expect(unsealDetails(signature, "Hm.", newSealedRoom())).toEqual(details);
  expect(unsealDetails(signature, "Hmm.", newSealedRoom())).toEqual([]);
  expect(unsealDetails("tollgate.broken", "Hm.", newSealedRoom())).toEqual([]);
});

test("all signatures of a request have bounds together", () => {
  const signature = (value: unknown) => `tollgate.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;
  const message = (sealed: string) => ({
    role: "assistant",
    reasoning_content: "Hm.",
    tool_calls: [{ id: "1", function: { name: "f" }, extra_content: { google: { thought_signature: sealed } } }],
  });
  const many = Array.from({ length: 2_000 }, () => message(signature(Array.from({ length: 2_000 }, () => ({})))));
  const long = Array.from({ length: 30 }, () => message(signature([{ data: "x".repeat(500_000) }])));
  for (const messages of [many, long]) {
    expect(() => decodeMessages(messages, [])).toThrow("tool_calls[0].extra_content.google.thought_signature");
  }
  const usual = Array.from({ length: 500 }, () =>
    message(signature([{ type: "reasoning.encrypted", data: "x".repeat(5_000) }])),
  );
  expect(decodeMessages(usual, [])).toHaveLength(500);
});

import { expect, test } from "bun:test";
import { fieldSamples, plainRequest } from "../conversation/field-samples.ts";
import { requestFields, type FieldName } from "../conversation/fields.ts";
import { reviewRequest, type SupportColumn } from "../conversation/support.ts";
import { sourcesToFetch, withFetched } from "../conversation/remote-sources.ts";
import { messagesCodec } from "./anthropic-messages/codec.ts";
import type { DialectCodec } from "./codec.ts";
import { geminiCodec } from "./gemini/codec.ts";
import { chatCodec } from "./openai-chat/conversation/codec.ts";
import { responsesCodec } from "./openai-responses/codec.ts";

/** A model of each dialect whose column is the dialect's own, or has the most. */
const subjects: readonly (readonly [DialectCodec, model: string])[] = [
  [chatCodec, "gpt-4.1"],
  [chatCodec, "gpt-5.7"],
  [chatCodec, "deepseek-chat"],
  [messagesCodec, "claude-sonnet-4-5"],
  [messagesCodec, "claude-sonnet-4-6"],
  [messagesCodec, "claude-opus-5-5"],
  [responsesCodec, "gpt-4.1"],
  [responsesCodec, "o3"],
  [responsesCodec, "gpt-6"],
  [geminiCodec, "gemini-2.0-flash"],
  [geminiCodec, "gemini-2.5-pro"],
  [geminiCodec, "gemini-3-flash"],
];

/** Emulated by saying nothing, as that already means it. */
const silent: readonly FieldName[] = ["reasoning.enabled", "reasoning.disabled", "responseFormat.strict"];

/** A request that differs from a field's sample in that field alone. */
const without: Partial<Record<FieldName, FieldName>> = {
  "image.detail": "image.data",
  "document.title": "document.data",
  "document.context": "document.data",
  "document.citations": "document.data",
  "cache.lifetime": "cache",
  cache: "text",
  "toolResult.error": "toolResult",
  "reasoning.summary": "reasoning.effort",
  "responseFormat.strict": "responseFormat.schema",
  topLogprobs: "logprobs",
  "tool.grammar": "tool.custom",
  "openai.stream_obfuscation": "stream",
};

const sampleOf = (field: FieldName | undefined) => ({
  ...plainRequest,
  ...(field === undefined ? {} : fieldSamples[field]),
});

for (const [{ name, provider }, model] of subjects) {
  const column: SupportColumn = provider.support(model);
  const target = { model, maxOutputTokens: null };
  const encoded = (field: FieldName | undefined) => {
    const request = sampleOf(field);
    const bytes = { mediaType: field === "audio.url" ? "audio/wav" : "application/pdf", base64: "AAAA" };
    const fetched = new Map(sourcesToFetch(request, column).map(({ url }) => [url, bytes]));
    const { path, body } = provider.encodeRequest(withFetched(request, fetched), target);
    return JSON.stringify([path, body]);
  };

  for (const field of Object.keys(requestFields) as FieldName[]) {
    const { status } = column[field];
    test(`${name}, ${model}: ${field} is ${status}`, () => {
      const review = reviewRequest(sampleOf(field), column);
      const before = without[field];
      if (status === "refused") {
        expect(review.refusal).not.toBeNull();
        return;
      }
      if (before !== undefined && column[before].status === "refused") return;
      if (status === "ignored") {
        expect(review.warnings.length).toBeGreaterThan(0);
        if (!sentAnyway.includes(field)) expect(encoded(field)).toBe(encoded(before));
      } else if (!(status === "emulated" && silent.includes(field))) {
        expect(review.refusal).toBeNull();
        expect(encoded(field)).not.toBe(encoded(before));
      }
    });
  }
}

/** Ignored in their meaning, while what carries them is sent. */
const sentAnyway: readonly FieldName[] = [
  "message.phase",
  "citations",
  "reasoning.unsigned",
  "reasoning.openai",
  "reasoning.anthropic",
  "reasoning.google",
];

import { expect, test } from "bun:test";
import { fieldSamples, plainRequest } from "../conversation/fields/field-samples.testkit.ts";
import { requestFields, type FieldName } from "../conversation/fields/fields.ts";
import { reviewRequest, type SupportColumn } from "../conversation/fields/support.ts";
import { sourcesToFetch, withFetched } from "../conversation/fields/remote-sources.ts";
import { dialects } from "./registry.ts";

/** By dialect, models whose column is the dialect's own, or differs the most from it. */
const models: Readonly<Record<string, readonly string[]>> = {
  "openai-chat": ["gpt-4.1", "gpt-5.7", "deepseek-chat"],
  "anthropic-messages": ["claude-sonnet-4-5", "claude-sonnet-4-6", "claude-opus-5-5"],
  "openai-responses": ["gpt-4.1", "o3", "gpt-6"],
  gemini: ["gemini-2.0-flash", "gemini-2.5-pro", "gemini-3-flash"],
};

const codecs = dialects.all.flatMap(({ provides }) => provides.conversation ?? []);

const subjects = codecs.flatMap((codec) => (models[codec.name] ?? []).map((model) => [codec, model] as const));

test.each(codecs)("$name has models to test", ({ name }) => {
  expect(models[name]?.length).toBeGreaterThan(0);
});

test.each(subjects)("the published table matches the behaviour, %#", ({ provider }, model) => {
  const { column, quirks } = provider.supportTable;
  const changed = quirks.filter((quirk) => quirk.models.test(model)).map((quirk) => quirk.changes);
  expect(provider.support(model)).toEqual(Object.assign({}, column, ...changed));
});

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

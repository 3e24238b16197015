import { invalidParameter, invalidRequest } from "../../../errors.ts";
import { toQuantity } from "../../../dimensions.ts";
import { estimateContent } from "../../../metering/estimate.ts";
import { expectText } from "../../../metering/expected-usage.ts";
import type { PromptContent } from "../../../metering/prompt-content.ts";
import { scanTopLevel } from "../../../json/top-level.ts";
import { jsonText } from "../../../operations/conversation.ts";
import type { CapabilityUse, Operation } from "../../../operations/operation.ts";
import type { Model } from "../../../routing/names/model.ts";
import { passThrough } from "../../exchanges/pass-through.ts";
import { lowerLimits } from "../../fields/output-limit.ts";
import { openaiAttribution } from "../attribution.ts";
import { asksForUsage, chatStreamForm, chatUpstreamBody } from "../chat.ts";
import { openaiErrorFormat } from "../errors.ts";
import { completionsCodec } from "./codec.ts";
import { changeable, type CompletionsInput, readCompletionsRequest } from "./request.ts";

const dialect = "openai-chat";

/**
 * `POST /v1/completions`: texts continued, as base models and old clients have it. It passes through to providers of this
 * dialect, and to no other: a text that is to be continued is not a conversation.
 */
export const completions: Operation<CompletionsInput> = {
  endpoint: "completions",
  paths: ["/v1/completions"],
  method: "POST",
  body: "json",
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  limitsOutput: true,
  read: (body, context) => readCompletionsRequest(jsonText(body), context),
  checkModel({ temperature }, { temperature: { min, max } }) {
    if (temperature === undefined || (temperature >= min && temperature <= max)) return;
    throw invalidParameter("temperature", `a number from ${min} to ${max}`);
  },
  capabilities: capabilitiesUsed,
  attribution: ({ body }) => openaiAttribution(body),
  expectedUsage(input) {
    const tokens = tokensIn(input);
    const content = contentOf(input);
    const usage = expectText(content, () => Buffer.byteLength(input.text), input.answers, input.maxTokens);
    return { ...usage, expected: { input: toQuantity((usage.expected.input ?? 0) + tokens) } };
  },
  // A token of a prompt takes a byte of the body at least.
  size: ({ text }) => Buffer.byteLength(text),
  estimateInput: async (input) => (await estimateContent(contentOf(input))) + tokensIn(input),
  exchange(input, { provider, model: upstreamModel }, model) {
    if (!provider.dialects.includes(dialect)) {
      if (model.targets.some((target) => target.provider.dialects.includes(dialect))) return null;
      const message = `No provider of the model '${model.id}' completes texts: only those with the dialect ${dialect} do.`;
      throw invalidRequest("unsupported_endpoint", message, "model");
    }
    const { sent, lowered } = withLoweredLimit(input, model);
    return passThrough({
      codec: completionsCodec,
      request: {
        dialect,
        method: "POST",
        path: "/completions",
        headers: { "content-type": "application/json" },
        body: chatUpstreamBody(sent, upstreamModel),
      },
      context: input.context,
      form: chatStreamForm(asksForUsage(input.body)),
      warnings: lowered,
    });
  },
};

/** The request as it may go up to a model, and the paths of the fields that had to change. */
function withLoweredLimit(input: CompletionsInput, model: Model) {
  const { text, body, maxTokens: asked } = input;
  const lowered = lowerLimits({ text, body, asked }, { names: ["max_tokens", "n_predict"] }, model);
  if (lowered === null) return { sent: input, lowered: [] };
  const { members } = scanTopLevel(lowered.text, changeable);
  return { sent: { ...input, text: lowered.text, members }, lowered: lowered.lowered };
}

function contentOf({ prompts }: CompletionsInput): PromptContent {
  const texts = prompts.filter((prompt) => typeof prompt === "string");
  return {
    texts,
    messages: 0,
    images: 0,
    media: 0,
    hostedTools: 0,
    searches: 0,
    webSearches: { tools: 0, maxUses: null },
  };
}

function tokensIn({ prompts }: CompletionsInput): number {
  return prompts.reduce((sum, prompt) => sum + (typeof prompt === "string" ? 0 : prompt.length), 0);
}

/** Fields that ask for a capability by their presence. */
const capabilities: Readonly<Record<string, string>> = {
  stop: "stop",
  seed: "seed",
  logprobs: "logprobs",
  temperature: "temperature",
};

function capabilitiesUsed({ body, stream }: CompletionsInput): CapabilityUse[] {
  const used: CapabilityUse[] = stream ? [{ capability: "streaming", field: "stream" }] : [];
  for (const [field, capability] of Object.entries(capabilities)) {
    if (body[field] !== undefined && body[field] !== null) used.push({ capability, field });
  }
  if (typeof body.n === "number" && body.n > 1) used.push({ capability: "n", field: "n" });
  return used;
}

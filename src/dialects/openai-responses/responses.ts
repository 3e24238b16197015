import { scanTopLevel } from "../../json/top-level.ts";
import { isObject } from "../../json/values.ts";
import { closestCodec, conversationRules, expectConversation, jsonText } from "../../operations/conversation.ts";
import { concernsSearch, maySearch, searching } from "../../operations/searching.ts";
import { translated } from "../../operations/translated.ts";
import type { Operation } from "../../operations/operation.ts";
import { openaiErrorFormat } from "../openai-chat/errors.ts";
import type { Model } from "../../routing/names/model.ts";
import { lowerLimits } from "../fields/output-limit.ts";
import { passThrough } from "../exchanges/pass-through.ts";
import { responsesCodec as codec } from "./codec.ts";
import { echoing } from "./answer/echo.ts";
import { responseIn } from "./answer/last-word.ts";
import { changeable, continued, readResponsesInput, type ResponsesInput } from "./request/responses-input.ts";
import { upstreamRequest } from "./request/upstream-request.ts";

/** `POST /v1/responses`: with a memory of the gateway's own, so that any provider's answer can be continued. */
export const responses: Operation<ResponsesInput> = {
  endpoint: "responses",
  paths: ["/v1/responses"],
  method: "POST",
  body: "json",
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  read: (body, context) => readResponsesInput(jsonText(body), context),
  ...conversationRules,
  limitsOutput: true,
  expectedUsage: (input) => expectConversation(input.conversation, () => sizeOf(input), maySearch(input.identity)),
  size: sizeOf,
  attribution: ({ body }) => codec.caller.attribution?.(body) ?? null,
  exchange(input, target, model, tools) {
    const { context, store, previousResponseId } = input;
    const providerCodec = closestCodec(codec, target.provider.dialects, tools.dialects);
    if (providerCodec === null) return null;
    if (model.webSearch !== undefined && concernsSearch(input)) {
      const sent = providerCodec.name === codec.name ? forProvider(input, target.provider.id) : input;
      return searching(
        { ...input, conversation: sent.conversation },
        providerCodec,
        target,
        model,
        model.webSearch,
        tools,
      );
    }
    const { conversation, isForeign } =
      providerCodec.name === codec.name ? forProvider(input, target.provider.id) : { ...input, isForeign: false };
    if (providerCodec.name !== codec.name || isForeign) {
      return translated({ ...input, conversation }, providerCodec, target, model, tools);
    }
    const form = echoing({ store, previousResponseId, fallbackId: context.fallbackId }, codec, context);
    const { sent, lowered } = withLoweredLimit(input, model);
    return passThrough({ codec, request: upstreamRequest(sent, target), context, form, warnings: lowered });
  },
  async keep({ store, responses: memory, keyId, kept }, lastPiece, target) {
    if (!store || lastPiece === null) return;
    const response = responseIn(lastPiece);
    if (response === null) throw new Error("An answer ended without a response in it.");
    await memory.keep({ keyId, response, recalled: kept, provider: target.provider.id });
  },
};

const outputLimit = { names: ["max_output_tokens"] };

/** The request as it may go up to a model, and the paths of the fields that had to change. */
function withLoweredLimit(input: ResponsesInput, model: Model) {
  const { text, body, conversation } = input;
  const lowered = lowerLimits({ text, body, asked: conversation.maxOutputTokens }, outputLimit, model);
  if (lowered === null) return { sent: input, lowered: [] };
  const { members } = scanTopLevel(lowered.text, changeable);
  return { sent: { ...input, text: lowered.text, members }, lowered: lowered.lowered };
}

/** Bytes of the request, and of the conversation that it goes on with. */
function sizeOf({ text, recalled: { history } }: ResponsesInput): number {
  const before = history.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(history));
  return Buffer.byteLength(text) + before;
}

/**
 * The conversation as a provider of this dialect can read it: less the reasoning of others if something in it comes from
 * another provider account, `isForeign`, so that not all of it can go up as it is.
 */
export function forProvider(input: ResponsesInput, provider: string) {
  const isForeign = hasForeignItems(input, provider);
  return { conversation: isForeign ? withoutForeignReasoning(input, provider) : input.conversation, isForeign };
}

/** Whether earlier content comes from another provider, so that some of it cannot be sent unchanged. */
function hasForeignItems({ recalled }: ResponsesInput, provider: string): boolean {
  return recalled.makers.values().some((maker) => maker !== provider);
}

/** The conversation less the reasoning that only another provider account can read. */
function withoutForeignReasoning({ body, recalled }: ResponsesInput, provider: string) {
  const isReadable = (item: unknown) => {
    const maker = recalled.makers.get(item) ?? provider;
    return maker === provider || !isObject(item) || item.type !== "reasoning";
  };
  const { history, input } = recalled;
  return continued(body, {
    history: history.filter(isReadable),
    input: Array.isArray(input) ? input.filter(isReadable) : input,
  });
}

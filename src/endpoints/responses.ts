import { closestDialect, codecs } from "../dialects/codecs.ts";
import { withEcho } from "../dialects/openai-responses/echo.ts";
import { isLastWord, responseIn } from "../dialects/openai-responses/last-word.ts";
import { passThrough } from "../dialects/pass-through.ts";
import { isObject } from "../json/values.ts";
import type { Endpoint } from "../pipeline/endpoint.ts";
import { conversationRules, expectConversation, translated } from "./conversation.ts";
import { openaiVoice } from "./openai-voice.ts";
import { continued, readResponsesInput, type ResponsesInput } from "./responses-input.ts";
import { upstreamRequest } from "./responses-upstream.ts";

const codec = codecs["openai-responses"];

/** `POST /v1/responses`: with a memory of the gateway's own, so that any provider's answer can be continued. */
export const responses: Endpoint<ResponsesInput> = {
  name: "responses",
  keyHeader: null,
  voice: openaiVoice,
  read: readResponsesInput,
  ...conversationRules,
  expectedUsage: (input) => expectConversation(input.conversation, () => sizeOf(input)),
  size: sizeOf,
  exchange(input, target, model, { fetchMedia }) {
    const { context, store, previousResponseId } = input;
    const dialect = closestDialect("openai-responses", target.provider.dialects);
    const isForeign = dialect === "openai-responses" && hasForeignItems(input, target.provider.id);
    if (dialect !== "openai-responses" || isForeign) {
      const conversation = isForeign ? withoutForeignReasoning(input, target.provider.id) : input.conversation;
      return translated({ conversation, context, caller: codec.caller }, dialect, target, model, fetchMedia);
    }
    const request = upstreamRequest(input, target);
    const { fallbackId } = context;
    return withEcho(passThrough({ codec, request, context, isLastWord }), { store, previousResponseId, fallbackId });
  },
  async keep({ store, responses: memory, keyId, recalled }, lastWord, target) {
    if (!store || lastWord === null) return;
    const response = responseIn(lastWord);
    if (response === null) throw new Error("An answer ended without a response in it.");
    await memory.keep({ keyId, response, recalled, provider: target.provider.id });
  },
};

/** Bytes of the request, and of the conversation that it goes on with. */
function sizeOf({ text, recalled: { history } }: ResponsesInput): number {
  const before = history.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(history));
  return Buffer.byteLength(text) + before;
}

/** Whether something that was said before comes from another provider, so that not all of it can go up as it is. */
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

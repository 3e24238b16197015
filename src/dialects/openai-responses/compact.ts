import { unsupportedParameter } from "../../errors.ts";
import { withMembers } from "../../json/top-level.ts";
import { isObject, stringOrNull, type JsonObject } from "../../json/values.ts";
import { closestCodec, jsonText } from "../../operations/conversation.ts";
import { translated } from "../../operations/translated.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Target } from "../../routing/names/model.ts";
import { AnswerFault, type Exchange } from "../exchange.ts";
import { parseBody } from "../exchanges/through-neutral.ts";
import { wholeOnly } from "../exchanges/whole-only.ts";
import { responsesCodec as codec } from "./codec.ts";
import { askForSummary, encodeCompaction } from "./compaction.ts";
import { responses, forProvider } from "./responses.ts";
import { readResponsesInput, type ResponsesInput } from "./request/responses-input.ts";
import { wholeInput } from "./request/upstream-request.ts";
import { readResponsesUsage } from "./usage.ts";

/** How an answer that holds a summary is written. */
const caller = { ...codec.caller, encodeResponse: encodeCompaction };

/**
 * `POST /v1/responses/compact`: a long conversation as one item, which later requests take in its place. A provider of
 * this dialect makes it; at any other the model is asked for a summary, and also if it must keep to a lower limit than
 * its own, since a provider that compacts by itself takes none.
 */
export const compact: Operation<ResponsesInput> = {
  ...responses,
  paths: ["/v1/responses/compact"],
  async read(body, context) {
    const input = await readResponsesInput(jsonText(body), context, { isKept: false });
    if (input.stream) throw unsupportedParameter("stream", "A compaction is not streamed: leave 'stream' out.");
    return { ...input, conversation: askForSummary(input.conversation) };
  },
  exchange(input, target, model, tools) {
    const providerCodec = closestCodec(codec, target.provider.dialects, tools.dialects);
    if (providerCodec === null) return null;
    const isOwn = providerCodec.name === codec.name;
    const readable = isOwn ? forProvider(input, target.provider.id) : { ...input, isForeign: false };
    if (isOwn && !readable.isForeign && model.imposesOutputLimit === undefined) return askProvider(input, target);
    const conversation = readable.isForeign ? askForSummary(readable.conversation) : input.conversation;
    const { text, context } = input;
    return translated({ text, conversation, context, caller }, providerCodec, target, model, tools);
  },
};

/** The provider compacts by itself. What was compacted here before, it could not read. */
function askProvider(input: ResponsesInput, target: Target): Exchange {
  const replacements: Record<string, string> = { model: JSON.stringify(target.model) };
  if (input.previousResponseId !== null) replacements.previous_response_id = "null";
  const whole = wholeInput(input);
  if (whole !== null) replacements.input = whole;
  return wholeOnly({
    request: {
      dialect: codec.name,
      method: "POST",
      path: "/responses/compact",
      headers: { "content-type": "application/json" },
      body: withMembers(input.text, input.members, replacements),
    },
    warnings: [],
    readError: (body) => codec.provider.decodeError(body),
    readWhole(body) {
      const answer = compactionIn(parseBody(body));
      const observation = {
        responseId: stringOrNull(answer.id),
        usage: readResponsesUsage(answer),
        producedText: () => JSON.stringify(answer.output),
      };
      return { body, observation };
    },
  });
}

function compactionIn(answer: unknown): JsonObject {
  if (isObject(answer) && Array.isArray(answer.output)) return answer;
  const error = codec.provider.decodeError(answer);
  throw new AnswerFault("The provider's answer is not a compaction.", error.message === null ? null : error);
}

import { chatAnswerId } from "./encode-response.ts";
import type { StreamEvent } from "../../../../conversation/stream.ts";
import type { ReportedUsage } from "../../../../conversation/usage.ts";
import { errorEnvelope } from "../../../../errors.ts";
import { isObject, type JsonObject } from "../../../../json/values.ts";
import type { AnswerContext, StreamEncoder } from "../../../codec.ts";
import { openaiServiceTier } from "../../../fields/openai-service-tier.ts";
import { encodePartEvent, newChoice, type ChoiceState } from "./encode-choice.ts";
import { encodeFinishReason } from "./finish-reason.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { writeChatUsage } from "./write-usage.ts";

/** Writes a stream of chat completion chunks. The usage chunk is written only if the caller asked for it. */
export function openChatStreamEncoder(context: AnswerContext): StreamEncoder {
  const choices = new Map<number, ChoiceState>();
  const options = context.callerBody.stream_options;
  const includeUsage = isObject(options) && options.include_usage === true;
  let head = "";
  let usage: ReportedUsage | null = null;
  let extras: JsonObject = {};

  /** A chunk whose constant beginning is written once. `rest` is what follows, with the closing brace. */
  const chunk = (rest: string) => `data: ${head}${rest}\n\n`;
  const tail = includeUsage ? `,"usage":null}` : "}";
  const delta = (index: number, value: JsonObject) =>
    chunk(
      `"choices":[{"index":${index},"delta":${JSON.stringify(value)},"logprobs":null,"finish_reason":null}]${tail}`,
    );

  const encodeCandidateEvent = (event: Extract<StreamEvent, { candidate: number }>): string => {
    let choice = choices.get(event.candidate);
    let opening = "";
    if (choice === undefined) {
      choice = newChoice();
      choices.set(event.candidate, choice);
      opening = delta(event.candidate, { role: "assistant", content: "", refusal: null });
    }
    if (event.type === "finish") return opening + encodeFinish(event, choice);
    if (event.type === "logprobs-delta") {
      const logprobs = JSON.stringify(encodeLogprobs(event.logprobs));
      const choiceText = `{"index":${event.candidate},"delta":{},"logprobs":${logprobs},"finish_reason":null}`;
      return opening + chunk(`"choices":[${choiceText}]${tail}`);
    }
    const value = encodePartEvent(event, choice);
    return value === null ? opening : opening + delta(event.candidate, value);
  };

  const encodeFinish = (event: Extract<StreamEvent, { type: "finish" }>, choice: ChoiceState): string => {
    const { reason, explanation } = event.finish;
    const declined =
      (reason === "refusal" || reason === "content-filter") && !choice.refused && explanation !== undefined;
    const refusal = declined ? delta(event.candidate, { refusal: explanation }) : "";
    const finishReason = JSON.stringify(encodeFinishReason(event.finish));
    const choiceText = `{"index":${event.candidate},"delta":{},"logprobs":null,"finish_reason":${finishReason}}`;
    return refusal + chunk(`"choices":[${choiceText}]${extraText(extras)}${tail}`);
  };

  return {
    push(event) {
      switch (event.type) {
        case "response-start":
          head = headOf(event, context);
          return "";
        case "usage":
          usage = event.usage;
          return "";
        case "native": {
          const fields = event.native?.vendor === "openai" ? event.native.fields : {};
          const tier = openaiServiceTier(event.serviceTier);
          extras = { ...extras, ...fields, ...(tier === undefined ? {} : { service_tier: tier }) };
          return "";
        }
        case "response-end":
          if (!includeUsage || usage === null) return "";
          return chunk(`"choices":[],"usage":${JSON.stringify(writeChatUsage(usage))}}`);
        default:
          return encodeCandidateEvent(event);
      }
    },
    terminator: () => "data: [DONE]\n\n",
    fail: (error, requestId) => `data: ${JSON.stringify(errorEnvelope(error, requestId))}\n\n`,
  };
}

function headOf(event: Extract<StreamEvent, { type: "response-start" }>, context: AnswerContext): string {
  const head = JSON.stringify({
    id: chatAnswerId(event.id, context),
    object: "chat.completion.chunk",
    created: event.created ?? context.created,
    model: event.model ?? context.model,
  });
  return `${head.slice(0, -1)},`;
}

/** Fields to follow others: `,"a":1`. */
function extraText(extras: JsonObject): string {
  const text = JSON.stringify(extras);
  return text === "{}" ? "" : `,${text.slice(1, -1)}`;
}

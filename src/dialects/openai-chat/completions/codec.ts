import { isObject, listOrEmpty, type JsonObject } from "../../../json/values.ts";
import type { AnswerContext, DialectCodec, StreamDecoder, StreamEncoder } from "../../codec.ts";
import { chatCodec } from "../conversation/codec.ts";

/**
 * The answers of `POST /v1/completions`, to and from the neutral form: those of chat completions, with the text of each
 * choice in `text` instead of a message. Its requests only pass through.
 */
export const completionsCodec: DialectCodec = {
  ...chatCodec,
  caller: {
    ...chatCodec.caller,
    encodeResponse: (response, context) => asCompletion(chatCodec.caller.encodeResponse(response, context)),
    openStreamEncoder,
  },
  provider: {
    ...chatCodec.provider,
    decodeResponse: (body) => chatCodec.provider.decodeResponse(asChat(body, "message")),
    openStreamDecoder,
  },
};

/** Each choice with its text where a chat completion has it: in `message`, or in `delta` within a stream. */
function asChat(body: unknown, place: "message" | "delta"): unknown {
  if (!isObject(body) || !Array.isArray(body.choices)) return body;
  const choices = body.choices.map((choice: unknown) => {
    if (!isObject(choice)) return choice;
    const { text, logprobs: _logprobs, ...rest } = choice;
    return { ...rest, [place]: { content: text } };
  });
  return { ...body, choices };
}

/** The reverse of `asChat`. Null is no text, as at the beginning of a stream. */
function asCompletion(chat: JsonObject): JsonObject {
  const choices = listOrEmpty(chat.choices).map((choice) => {
    const { message, delta, index, finish_reason: reason } = isObject(choice) ? choice : {};
    const messageFields = isObject(message) ? message : isObject(delta) ? delta : {};
    return { index, text: messageFields.content ?? "", logprobs: null, finish_reason: reason ?? null };
  });
  return { ...chat, object: "text_completion", choices };
}

function openStreamDecoder(): StreamDecoder {
  const chat = chatCodec.provider.openStreamDecoder();
  return {
    push(data) {
      const chunk = parsed(data);
      // Anything but JSON is the end of the stream, or a fault that the decoder of chat completions reports.
      return chat.push(chunk === undefined ? data : JSON.stringify(asChat(chunk, "delta")));
    },
    end: () => chat.end(),
    get finished() {
      return chat.finished;
    },
  };
}

function openStreamEncoder(context: AnswerContext): StreamEncoder {
  const chat = chatCodec.caller.openStreamEncoder(context);
  return {
    push: (event) =>
      chat.push(event).replace(/^data: (.*)$/gm, (_line, data: string) => `data: ${completionData(data)}`),
    terminator: () => chat.terminator(),
    fail: (error, requestId) => chat.fail(error, requestId),
  };
}

function completionData(data: string): string {
  const chunk = parsed(data);
  return isObject(chunk) ? JSON.stringify(asCompletion(chunk)) : data;
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

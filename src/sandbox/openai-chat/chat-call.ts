import type { Call } from "../dialect.ts";
import { objectOrEmpty } from "../json.ts";
import { checkRequest, checkStrictly } from "./check-request.ts";
import { chatError } from "./errors.ts";
import { parseBody } from "./parse-body.ts";
import { readPrompt } from "./read-prompt.ts";
import { writeChatAnswer } from "./write-answer.ts";
import { writeChatStream } from "./write-stream.ts";

/** Reads a chat request. Throws OpenAI's error if it is invalid. */
export function readChatCall(text: string): Call {
  const body = parseBody(text);
  checkRequest(body);
  const wire = {
    includeUsage:
      body["stream_options"] !== undefined && objectOrEmpty(body["stream_options"])["include_usage"] === true,
    topLogprobs: body["logprobs"] === true ? Number(body["top_logprobs"] ?? 0) : null,
  };
  return {
    prompt: readPrompt(body),
    stream: body["stream"] === true,
    directives: body["sandbox"],
    check(script) {
      if (script.strict === true) checkStrictly(body);
    },
    writeJson: (reply, script) => JSON.stringify(writeChatAnswer(reply, script, wire)),
    streamContentType: "text/event-stream; charset=utf-8",
    writeStream: (reply, script) => writeChatStream(reply, script, wire),
    errorFrame: (failure) => ({ data: JSON.stringify(chatError(failure)) }),
  };
}

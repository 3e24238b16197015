import type { Call } from "../dialect.ts";
import { invalidArgument, readMessage } from "./check-shape.ts";
import { geminiError } from "./errors.ts";
import { parseBody, readRequest } from "./generate-call.ts";
import { readPrompt } from "./read-prompt.ts";

/** Reads a request of `:countTokens`: contents, or a complete request. The answer is the prompt's token count. */
export function readCountCall(text: string, model: string): Call {
  const body = readMessage(parseBody(text), "CountTokensRequest");
  const { generateContentRequest: whole, contents } = body;
  if (whole !== undefined && contents !== undefined) {
    throw invalidArgument("Only one of contents and generate_content_request may be set.", "contents");
  }
  const request = readRequest(whole ?? { contents }, model);
  if (whole !== undefined && typeof request["model"] !== "string") {
    throw invalidArgument("* CountTokensRequest.generate_content_request.model: unexpected model name format", "model");
  }
  return {
    prompt: readPrompt(request, model),
    stream: false,
    directives: body["sandbox"],
    check() {},
    writeJson: ({ tokens }) =>
      JSON.stringify({
        totalTokens: tokens.input,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: tokens.input }],
      }),
    streamContentType: "application/json",
    writeStream: () => [],
    errorFrame: (failure) => ({ data: JSON.stringify(geminiError(failure)) }),
  };
}

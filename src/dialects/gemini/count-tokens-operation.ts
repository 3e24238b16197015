import { isObject } from "../../json/values.ts";
import { countTokensOperation, type CountInput } from "../../operations/count-tokens.ts";
import { addressIn } from "./address.ts";
import { geminiCodec } from "./codec.ts";
import { encodeTokenCount, readCountTokensBody } from "./count-tokens.ts";
import { modelPath, writtenName } from "./fields.ts";
import { geminiErrorFormat } from "./generate-content.ts";
import { geminiFiles } from "./request/files.ts";

/** `POST /v1beta/models/{model}:countTokens` */
export const countTokens = countTokensOperation({
  endpoint: "generate_content",
  paths: ["/v1beta/models/{model+}:countTokens", "/v1/models/{model+}:countTokens"],
  codec: geminiCodec,
  files: geminiFiles,
  keyHeader: "x-goog-api-key",
  errorFormat: geminiErrorFormat,
  conversationBody: readCountTokensBody,
  address: addressIn,
  upstream: (input, target) => {
    const path = modelPath(target.model);
    return {
      dialect: "gemini",
      method: "POST",
      path: `${path}:countTokens`,
      headers: { "content-type": "application/json" },
      body: upstreamBody(input, decodeURI(path.slice("/v1beta/".length))),
    };
  },
  // A count of 0 is left out.
  count: ({ totalTokens = 0 }) => totalTokens,
  writeCount: encodeTokenCount,
});

/** A whole request within the body names its model once more, as the provider knows it. */
function upstreamBody({ text, body }: CountInput, model: string): string {
  const name = writtenName(body, "generateContentRequest");
  const request = body[name];
  return isObject(request) ? JSON.stringify({ ...body, [name]: { ...request, model } }) : text;
}

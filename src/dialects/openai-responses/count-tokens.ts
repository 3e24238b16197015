import { withMembers } from "../../json/top-level.ts";
import type { JsonObject } from "../../json/values.ts";
import { countTokensOperation } from "../../operations/count-tokens.ts";
import type { ReadContext } from "../../operations/operation.ts";
import { openaiErrorFormat } from "../openai-chat/errors.ts";
import { optionalString } from "../fields/read-field.ts";
import { responsesCodec } from "./codec.ts";
import { referencedIds } from "./request/references.ts";
import { continuedInput } from "./request/stored-items.ts";
import { responsesFiles } from "./request/files.ts";

/** `POST /v1/responses/input_tokens` */
export const countTokens = countTokensOperation({
  endpoint: "responses",
  paths: ["/v1/responses/input_tokens"],
  codec: responsesCodec,
  files: responsesFiles,
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  conversationBody: withHistory,
  upstream(input, target) {
    if (leansOnMemory(input.body)) return null;
    return {
      dialect: "openai-responses",
      method: "POST",
      path: "/responses/input_tokens",
      headers: { "content-type": "application/json" },
      body: withMembers(input.text, input.members, { model: JSON.stringify(target.model) }),
    };
  },
  count: (answer) => answer.input_tokens,
  writeCount: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
});

/** No provider knows the responses that the gateway keeps. */
function leansOnMemory({ previous_response_id: previous, input }: JsonObject): boolean {
  return (previous !== undefined && previous !== null) || referencedIds(input).length > 0;
}

/** The body with all that its model would read written out. An input may be missing if only tools are counted. */
async function withHistory(body: JsonObject, { responses, identity }: ReadContext): Promise<JsonObject> {
  const input = body.input ?? "";
  if (!leansOnMemory(body)) return { ...body, input };
  const previousId = optionalString(body.previous_response_id, "previous_response_id") ?? null;
  const recalled = await responses.recall(identity.key.id, { previousId, input });
  return { ...body, input: continuedInput(recalled.history, recalled.input) };
}

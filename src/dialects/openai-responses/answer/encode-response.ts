import { systemClock, type Clock } from "../../../clock.ts";
import type { Part } from "../../../conversation/parts.ts";
import type { Candidate, ConversationResponse } from "../../../conversation/response.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { AnswerContext } from "../../codec.ts";
import { compacted, endsWithTrigger } from "../compaction.ts";
import { cutsLastItem, encodeFinish, explainedRefusal, profileOf } from "./finish.ts";
import { openNameRestorer } from "../request/namespaces.ts";
import { encodeOutputItem, itemIdOf } from "./output-item.ts";
import { responseIdOf, responseObject } from "./response-object.ts";
import { writeResponsesUsage } from "../usage.ts";

/** Writes a whole answer as a response object. The dialect has one answer to a request: the first is written. */
export function encodeResponsesResponse(
  response: ConversationResponse,
  context: AnswerContext,
  clock: Clock = systemClock,
): JsonObject {
  const [candidate = emptyCandidate] = response.candidates;
  const id = responseIdOf(response.id, context);
  const said = answerParts(candidate).map(openNameRestorer(context.callerBody.tools));
  const parts = endsWithTrigger(context.callerBody.input) ? [compacted(said, id)] : said;
  const ending = encodeFinish(candidate.finish, profileOf(parts).hasRefusal);
  const createdAt = response.created ?? context.created;
  return responseObject(
    {
      id,
      createdAt,
      completedAt: ending.status === "completed" ? Math.max(createdAt, Math.floor(clock.now() / 1000)) : null,
      model: response.model ?? context.model,
      ending,
      output: encodeOutput(parts, candidate, id),
      usage: response.usage === null ? null : writeResponsesUsage(response.usage),
      serviceTier: response.serviceTier,
      native: response.native?.vendor === "openai" ? response.native.fields : {},
    },
    context.callerBody,
  );
}

const emptyCandidate: Candidate = { parts: [], finish: { reason: "stop" } };

/** The candidate's parts, and the vendor's explanation if a refusal has no text. */
function answerParts({ parts, finish }: Candidate): readonly Part[] {
  const explanation = explainedRefusal(finish, profileOf(parts).hasRefusal);
  return explanation === null ? parts : [...parts, { type: "refusal", text: explanation }];
}

function encodeOutput(parts: readonly Part[], { finish, logprobs }: Candidate, responseId: string): JsonObject[] {
  const output: JsonObject[] = [];
  const lastText = parts.findLastIndex((part) => part.type === "text");
  parts.forEach((part, index) => {
    const cut = index === parts.length - 1 && cutsLastItem(finish);
    const id = itemIdOf(part, responseId, output.length);
    const item = encodeOutputItem(
      part,
      id,
      cut ? "incomplete" : "completed",
      index === lastText ? logprobs : undefined,
    );
    if (item !== null) output.push(item);
  });
  return output;
}

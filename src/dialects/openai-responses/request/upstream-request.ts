import { withOpenCompaction, withOpenCompactions } from "../compaction.ts";
import { sealsWanted } from "./decode-request.ts";
import { usesReasoning } from "./encode-request.ts";
import { responsesProfileOf } from "../quirks.ts";
import { continuedInput } from "./stored-items.ts";
import type { UpstreamRequest } from "../../exchange.ts";
import { withMembers } from "../../../json/top-level.ts";
import { listOrEmpty } from "../../../json/values.ts";
import type { Target } from "../../../routing/names/model.ts";
import type { ResponsesInput } from "./responses-input.ts";

/**
 * A request as it goes up to a provider of the same dialect: as it was written, but for what the gateway does in the
 * provider's place. The provider stores nothing, is sent the whole conversation, and seals its reasoning into the answer,
 * so that the next turn can be anyone's.
 */
export function upstreamRequest(input: ResponsesInput, target: Target): UpstreamRequest {
  const { text, members, previousResponseId } = input;
  const replacements: Record<string, string> = { model: JSON.stringify(target.model), store: "false" };
  const include = includeOf(input, target.model);
  if (include !== null) replacements.include = JSON.stringify(include);
  if (previousResponseId !== null) replacements.previous_response_id = "null";
  const whole = wholeInput(input);
  if (whole !== null) replacements.input = whole;
  return {
    dialect: "openai-responses",
    method: "POST",
    path: "/responses",
    headers: { "content-type": "application/json" },
    body: withMembers(text, members, replacements),
  };
}

/** Fields to send in addition to the caller's; null if there are none. */
function includeOf({ body, conversation }: ResponsesInput, model: string): readonly unknown[] | null {
  const asked = listOrEmpty(body.include);
  const { seals } = responsesProfileOf(model);
  const wanted = seals === "always" || (seals === "where-used" && usesReasoning(conversation));
  return wanted && !asked.includes(sealsWanted) ? [...asked, sealsWanted] : null;
}

/** All items as JSON text, those of this request as they were written; null if `input` already has them all. */
export function wholeInput({ text, members, body, recalled }: ResponsesInput): string | null {
  const history = recalled.history.map(withOpenCompaction);
  const input = withOpenCompactions(recalled.input);
  if (input !== body.input) return JSON.stringify(continuedInput(history, input));
  if (history.length === 0) return null;
  const before = history.map((item) => JSON.stringify(item)).join(",");
  // The last of duplicate members counts.
  const own = members.findLast(({ key }) => key === "input");
  const written = own === undefined ? "" : text.slice(own.valueStart, own.valueEnd);
  if (typeof input === "string") return `[${before},{"type":"message","role":"user","content":${written}}]`;
  const items = Array.isArray(input) ? written.slice(1, -1).trim() : "";
  return items === "" ? `[${before}]` : `[${before},${items}]`;
}

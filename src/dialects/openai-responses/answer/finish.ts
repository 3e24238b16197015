import type { Part } from "../../../conversation/parts.ts";
import type { Finish } from "../../../conversation/response.ts";
import { isObject, stringOrNull, type JsonObject } from "../../../json/values.ts";

/** How a response ended, in the three fields that say it. */
export interface Ending {
  readonly status: "completed" | "incomplete" | "failed";
  readonly incomplete_details: JsonObject | null;
  readonly error: JsonObject | null;
}

export const completed: Ending = { status: "completed", incomplete_details: null, error: null };

/** Reads the finish of a completed or incomplete response; its items decide the kind of completion. */
export function decodeFinish(response: JsonObject, { hasToolCalls, hasRefusal }: AnswerProfile): Finish {
  if (response.status === "incomplete") {
    const details = isObject(response.incomplete_details) ? response.incomplete_details : {};
    const reason = stringOrNull(details.reason);
    if (reason === "content_filter") return { reason: "content-filter" };
    if (reason === "max_output_tokens" || reason === null) return { reason: "length" };
    return { reason: "length", category: reason };
  }
  if (hasToolCalls) return { reason: "tool-calls" };
  return { reason: hasRefusal ? "refusal" : "stop" };
}

export interface AnswerProfile {
  readonly hasToolCalls: boolean;
  readonly hasRefusal: boolean;
}

export function profileOf(parts: readonly Part[]): AnswerProfile {
  return {
    hasToolCalls: parts.some((part) => part.type === "tool-call"),
    hasRefusal: parts.some((part) => part.type === "refusal"),
  };
}

/** Writes an end. A refusal with text is a completed answer, one without is a filtered one. */
export function encodeFinish(finish: Finish, hasRefusal: boolean): Ending {
  switch (finish.reason) {
    case "length":
    case "context-length":
      return incomplete("max_output_tokens");
    case "content-filter":
      return incomplete("content_filter");
    case "refusal":
      return hasRefusal ? completed : incomplete("content_filter");
    case "error": {
      const message = finish.explanation ?? "The model failed to produce an answer.";
      return { status: "failed", incomplete_details: null, error: { code: "server_error", message } };
    }
    default:
      return completed;
  }
}

function incomplete(reason: string): Ending {
  return { status: "incomplete", incomplete_details: { reason }, error: null };
}

/** Whether the answer's last item was cut short. */
export function cutsLastItem({ reason }: Finish): boolean {
  return reason === "length" || reason === "context-length" || reason === "content-filter";
}

/** The vendor's explanation of a refusal, if the model gave no text: it becomes a refusal of the answer. */
export function explainedRefusal({ reason, explanation }: Finish, hasRefusal: boolean): string | null {
  return reason === "refusal" && !hasRefusal && explanation !== undefined && explanation !== "" ? explanation : null;
}

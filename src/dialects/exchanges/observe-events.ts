import type { StreamEvent } from "../../conversation/stream.ts";
import { asObserved, type ReportedUsage } from "../../conversation/usage.ts";
import type { ConversationResponse } from "../../conversation/response.ts";
import type { Part } from "../../conversation/parts.ts";
import type { Observation } from "../exchange.ts";
import { TextSample } from "./text-sample.ts";

/** Gathers what a record needs of an answer in the neutral form, event by event. */
export interface EventObserver {
  see(event: StreamEvent): void;
  readonly observation: Observation;
}

/**
 * `answerId` gives the id that the caller sees for the provider's.
 * @param keepsText whether the produced text may be asked for
 */
export function observeEvents(answerId: (providerId: string | null) => string, keepsText = true): EventObserver {
  const text = keepsText ? new TextSample() : noText;
  let responseId: string | null = null;
  let usage: ReportedUsage | null = null;
  /** Whether something was produced since the last count. */
  let uncounted = false;
  let candidates = 0;
  let finished = 0;
  let ended = false;

  return {
    see(event) {
      if (event.type === "text-delta") {
        uncounted = true;
        text.add(event.text);
      } else if (event.type === "input-delta") {
        uncounted = true;
        text.add(event.input);
      } else if (event.type === "part-start") {
        uncounted = true;
        candidates = Math.max(candidates, event.candidate + 1);
        text.add(textOf(event.part));
      } else if (event.type === "usage") {
        uncounted = false;
        usage = event.usage;
      } else if (event.type === "finish") finished++;
      else if (event.type === "response-end") ended = true;
      else if (event.type === "response-start") responseId = answerId(event.id);
    },
    observation: {
      get responseId() {
        return responseId;
      },
      get usage() {
        return asObserved(usage, ended || (finished > 0 && finished >= candidates && !uncounted));
      },
      producedText: () => text.text(),
      get producedLength() {
        return text.length;
      },
    },
  };
}

const noText: Pick<TextSample, "add" | "text" | "length"> = { add() {}, text: () => "", length: 0 };

/** The parts of a whole answer that the record needs. */
export function observeResponse(
  response: ConversationResponse,
  answerId: (providerId: string | null) => string,
): Observation {
  return {
    responseId: answerId(response.id),
    usage: response.usage,
    producedText: () => response.candidates.flatMap(({ parts }) => parts.map(textOf)).join(""),
  };
}

function textOf(part: Part): string {
  if (part.type === "text" || part.type === "reasoning" || part.type === "refusal") return part.text;
  return part.type === "tool-call" ? part.name + part.input : "";
}

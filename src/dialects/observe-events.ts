import type { StreamEvent } from "../conversation/stream.ts";
import type { ReportedUsage } from "../conversation/usage.ts";
import type { ConversationResponse } from "../conversation/response.ts";
import type { Part } from "../conversation/parts.ts";
import type { Observation } from "./exchange.ts";

/** What comes after this many characters is not kept, so that an endless answer holds no memory. */
const maxKept = 2_000_000;

/** Gathers what a record needs of an answer in the neutral form, event by event. */
export interface EventObserver {
  see(event: StreamEvent): void;
  readonly observation: Observation;
}

/** `answerId` says which id the caller sees for the one that the provider gave. */
export function observeEvents(answerId: (providerId: string | null) => string): EventObserver {
  let text: string[] = [];
  let kept = 0;
  let responseId: string | null = null;
  let usage: ReportedUsage | null = null;

  const keep = (piece: string) => {
    if (piece === "" || kept >= maxKept) return;
    kept += piece.length;
    text.push(piece);
    // A long stream is thousands of small strings: joined, they take a fraction of the memory.
    if (text.length >= 512) text = [text.join("")];
  };

  return {
    see(event) {
      if (event.type === "text-delta") keep(event.text);
      else if (event.type === "input-delta") keep(event.input);
      else if (event.type === "part-start") keep(textOf(event.part));
      else if (event.type === "usage") usage = event.usage;
      else if (event.type === "response-start") responseId = answerId(event.id);
    },
    observation: {
      get responseId() {
        return responseId;
      },
      get usage() {
        return usage;
      },
      producedText: () => text.join(""),
    },
  };
}

/** What a record needs of a whole answer. */
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

import type { Part } from "./parts.ts";
import type { ConversationResponse } from "./response.ts";
import type { StreamEvent } from "./stream.ts";

/** A whole answer as a stream: each part is complete at its start. The inverse of `openCollector`. */
export function eventsOf(response: ConversationResponse): StreamEvent[] {
  const events: StreamEvent[] = [
    { type: "response-start", id: response.id, model: response.model, created: response.created },
  ];
  if (response.serviceTier !== undefined || response.native !== undefined) {
    events.push({ type: "native", serviceTier: response.serviceTier, native: response.native });
  }
  response.candidates.forEach((answer, candidate) => {
    answer.parts.forEach((part, index) => pushPart(events, part, candidate, index));
    if (answer.logprobs !== undefined) events.push({ type: "logprobs-delta", candidate, logprobs: answer.logprobs });
    events.push({ type: "finish", candidate, finish: answer.finish });
  });
  if (response.usage !== null) events.push({ type: "usage", usage: response.usage });
  events.push({ type: "response-end" });
  return events;
}

/** Text and input come as deltas, so that an encoder has one way to write them. */
function pushPart(events: StreamEvent[], part: Part, candidate: number, index: number): void {
  const at = { candidate, index };
  if (part.type === "text" || part.type === "reasoning" || part.type === "refusal") {
    events.push({ type: "part-start", ...at, part: { ...part, text: "" } });
    if (part.text !== "") events.push({ type: "text-delta", ...at, text: part.text });
  } else if (part.type === "tool-call") {
    events.push({ type: "part-start", ...at, part: { ...part, input: "" } });
    if (part.input !== "") events.push({ type: "input-delta", ...at, input: part.input });
  } else if (part.type === "web-search") {
    events.push({ type: "part-start", ...at, part: { ...part, outcome: undefined } });
    if (part.outcome !== undefined) events.push({ type: "search-outcome", ...at, outcome: part.outcome });
  } else {
    events.push({ type: "part-start", ...at, part });
  }
  events.push({ type: "part-end", ...at });
}

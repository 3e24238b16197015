import type { Part } from "./parts.ts";
import type { ConversationResponse } from "./response.ts";
import type { StreamEvent } from "./stream.ts";

/**
 * Gives the tool calls of one answer different ids: some providers give the same one twice, or none. Clients match
 * results to calls by them, and OpenAI's refuse a stream that repeats one. Each candidate is an answer by itself.
 */
export function uniqueCallIds(): (event: StreamEvent) => StreamEvent {
  const used: Set<string>[] = [];
  return (event) => {
    if (event.type !== "part-start" || event.part.type !== "tool-call") return event;
    const part = withUniqueId(event.part, (used[event.candidate] ??= new Set()));
    return part === event.part ? event : { ...event, part };
  };
}

/** The same for a whole answer. */
export function withUniqueCallIds(response: ConversationResponse): ConversationResponse {
  const candidates = response.candidates.map((candidate) => {
    const used = new Set<string>();
    return { ...candidate, parts: candidate.parts.map((part) => withUniqueId(part, used)) };
  });
  return { ...response, candidates };
}

function withUniqueId(part: Part, used: Set<string>): Part {
  if (part.type !== "tool-call") return part;
  let { id } = part;
  for (let count = 2; used.has(id); count++) id = `${part.id === "" ? "call" : part.id}_${count}`;
  used.add(id);
  return id === part.id ? part : { ...part, id };
}

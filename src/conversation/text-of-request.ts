import type { Part } from "./parts.ts";
import type { ConversationRequest } from "./request.ts";

/** All that a model reads as text: messages, tool calls and results, tool definitions. For estimates of its tokens. */
export function textOfRequest(request: ConversationRequest): string {
  const pieces = request.messages.flatMap(({ parts }) => parts.map(textOfPart));
  for (const tool of request.tools ?? []) {
    if (tool.type === "native") pieces.push(JSON.stringify(tool.value));
    else pieces.push(tool.name, tool.description ?? "");
    if (tool.type === "function" && tool.parameters) pieces.push(JSON.stringify(tool.parameters));
  }
  return pieces.filter((piece) => piece !== "").join("\n");
}

function textOfPart(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "refusal":
      return part.text;
    case "tool-call":
      return `${part.name} ${part.input}`;
    case "tool-result":
      return part.parts.map(textOfPart).join("\n");
    case "document":
      return part.source.type === "text" ? part.source.text : "";
    case "native":
      return JSON.stringify(part.value);
    default:
      return "";
  }
}

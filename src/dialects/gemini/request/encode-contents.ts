import type { Part, ToolCallPart, ToolResultContent, ToolResultPart } from "../../../conversation/parts.ts";
import type { ConversationRequest, Message } from "../../../conversation/request.ts";
import { toolCallsById } from "../../../conversation/tool-calls.ts";
import { invalidParameter } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import { encodeDocumentSource, encodeModelParts, encodeParts, encodeSource } from "./encode-parts.ts";
import type { GeminiProfile } from "../quirks.ts";

export interface EncodedContents {
  readonly contents: readonly JsonObject[];
  readonly systemInstruction: JsonObject | undefined;
}

/** A turn being written. Results keep a turn of their own: Google counts them against the calls of the turn before. */
interface Turn {
  readonly kind: "user" | "model" | "results";
  readonly parts: readonly Part[];
}

/** Writes the conversation: instructions apart, neighbours of one role as one turn. */
export function encodeContents(request: ConversationRequest, profile: GeminiProfile): EncodedContents {
  const system: JsonObject[] = [];
  const turns: Turn[] = [];
  for (const message of request.messages) {
    if (message.role === "system" || message.role === "developer") system.push(...encodeParts(message.parts));
    else pushTurn(turns, { kind: kindOf(message), parts: message.parts });
  }
  const calls = toolCallsById(request);
  const contents = turns.flatMap((turn) => encodeTurn(turn, calls, profile));
  // A request must have contents: instructions alone are sent as a user message.
  if (contents.length === 0 && system.length > 0) {
    return { contents: [{ role: "user", parts: system }], systemInstruction: undefined };
  }
  return { contents, systemInstruction: system.length === 0 ? undefined : { parts: system } };
}

function kindOf({ role }: Message): Turn["kind"] {
  if (role === "assistant") return "model";
  return role === "tool" ? "results" : "user";
}

function pushTurn(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1);
  if (last?.kind === turn.kind) turns[turns.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] };
  else turns.push(turn);
}

function encodeTurn(turn: Turn, calls: ReadonlyMap<string, ToolCallPart>, profile: GeminiProfile): JsonObject[] {
  if (turn.kind === "results") return encodeResults(turn.parts, calls, profile);
  const parts = turn.kind === "model" ? encodeModelParts(turn.parts, profile) : encodeParts(turn.parts);
  return parts.length === 0 ? [] : [{ role: turn.kind, parts }];
}

/** Results in the order of their calls, then a turn with what a result cannot hold. */
function encodeResults(
  parts: readonly Part[],
  calls: ReadonlyMap<string, ToolCallPart>,
  profile: GeminiProfile,
): JsonObject[] {
  const order = [...calls.keys()];
  const results = parts
    .filter((part): part is ToolResultPart => part.type === "tool-result")
    .sort((one, other) => order.indexOf(one.callId) - order.indexOf(other.callId));
  const beside: JsonObject[] = [];
  const responses = results.map((result) => {
    const media = result.parts.filter((part) => part.type !== "text");
    if (media.length > 0 && !profile.mediaInResults) {
      beside.push({ text: `From the result of tool call ${result.callId}:` }, ...encodeParts(media));
    }
    return encodeResult(result, calls.get(result.callId), profile.mediaInResults ? media : []);
  });
  const contents: JsonObject[] = responses.length === 0 ? [] : [{ role: "user", parts: responses }];
  if (beside.length > 0) contents.push({ role: "user", parts: beside });
  return contents;
}

function encodeResult(
  result: ToolResultPart,
  call: ToolCallPart | undefined,
  media: readonly ToolResultContent[],
): JsonObject {
  const name = call?.name ?? result.name;
  if (name === undefined) {
    throw invalidParameter(result.path ?? "messages", "the result of a tool that was called before");
  }
  const text = result.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const parts = media.flatMap((part) => encodeMedia(part));
  return {
    functionResponse: {
      id: result.callId === "" ? undefined : result.callId,
      name,
      response: result.isError === true ? { error: text } : { output: text },
      parts: parts.length === 0 ? undefined : parts,
    },
  };
}

function encodeMedia(part: ToolResultContent): JsonObject[] {
  if (part.type === "text" || part.type === "native") return [];
  return [part.type === "document" ? encodeDocumentSource(part) : encodeSource(part.source, part)];
}

import { isObject, type JsonObject } from "../../src/json/values.ts";
import { parseEvents, validateEvents } from "../../src/dialects/openai-responses/stream/validate-events.testkit.ts";
import { dataOf, oneNewline } from "../sse-text.testkit.ts";

/** The content of a valid stream, independent of its dialect. */
export interface Heard {
  readonly text: string;
  readonly reasoning: string;
  /** Arguments of each tool call, parsed. */
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  /** In the terms of the dialect. */
  readonly finish: string;
}

type Call = { name: string; input: string };

const objects = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : []);
const object = (value: unknown): JsonObject => (isObject(value) ? value : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const parsed = (calls: Iterable<Call>) =>
  [...calls].map(({ name, input }) => ({ name, input: JSON.parse(input) as unknown }));

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`A stream's grammar is broken: ${what}.`);
}

/** Parses events with their names, with any line ends and without comments. */
function eventsOf(stream: string): JsonObject[] {
  return parseEvents(
    oneNewline(stream)
      .replaceAll(/^:.*\n\n/gm, "")
      .replaceAll(/\n{3,}/g, "\n\n"),
  );
}

/** Chunks of one id, a role first, one finish reason last, then [DONE] once. */
export function hearChat(stream: string): Heard {
  const data = dataOf(stream);
  must(data.at(-1) === "[DONE]" && data.indexOf("[DONE]") === data.length - 1, "[DONE] is last, and once");
  must(!/^event:/m.test(stream), "chunks have no event line");
  const chunks = data.slice(0, -1).map((chunk) => JSON.parse(chunk) as JsonObject);
  must(new Set(chunks.map(({ id }) => id)).size === 1, "one id");
  const heard = { text: "", reasoning: "", finish: "" };
  const calls = new Map<unknown, Call>();
  for (const [position, { choices, object: kind }] of chunks.entries()) {
    must(kind === "chat.completion.chunk", "chunks");
    const [choice] = objects(choices);
    if (choice === undefined) continue;
    must(heard.finish === "", "nothing is said after the finish reason");
    const delta = object(choice.delta);
    must(position > 0 || delta.role === "assistant", "the first chunk has the role");
    heard.text += text(delta.content);
    heard.reasoning += text(delta.reasoning_content);
    for (const { index, id, type, function: called } of objects(delta.tool_calls)) {
      const known = calls.get(index);
      if (known === undefined) {
        must(index === calls.size && text(id) !== "" && type === "function", "calls begin in order, with id and type");
        calls.set(index, { name: text(object(called).name), input: text(object(called).arguments) });
      } else known.input += text(object(called).arguments);
    }
    heard.finish = text(choice.finish_reason);
  }
  must(heard.finish !== "", "a finish reason");
  return { ...heard, calls: parsed(calls.values()) };
}

/** message_start, blocks one after the other, message_delta, message_stop; pings anywhere. */
export function hearMessages(stream: string): Heard {
  const events = eventsOf(stream).filter(({ type }) => type !== "ping");
  const types = events.map(({ type }) => type);
  must(types[0] === "message_start" && types.lastIndexOf("message_start") === 0, "message_start is first, and once");
  must(types.indexOf("message_delta") === types.length - 2, "message_delta comes once, before the last");
  must(types.at(-1) === "message_stop", "message_stop is last");
  const usage = object(object(events[0]?.message).usage);
  must(typeof usage.input_tokens === "number" && usage.input_tokens > 0, "input tokens are told at once");
  const heard = { text: "", reasoning: "", finish: text(object(events.at(-2)?.delta).stop_reason) };
  must(heard.finish !== "", "a stop reason");
  must(typeof object(events.at(-2)?.usage).output_tokens === "number", "output tokens are told at the end");
  const calls: Call[] = [];
  let isCall = false;
  let open: number | null = null;
  let next = 0;
  for (const event of events.slice(1, -2)) {
    const block = object(event.content_block);
    const delta = object(event.delta);
    switch (event.type) {
      case "content_block_start":
        must(open === null && event.index === next, "blocks open one at a time, in order");
        open = next++;
        must(block.type !== "text" || block.text === "", "a text begins empty");
        isCall = block.type === "tool_use";
        if (isCall) calls.push({ name: text(block.name), input: "" });
        break;
      case "content_block_delta":
        must(event.index === open, "a delta is of the open block");
        heard.text += text(delta.text);
        heard.reasoning += text(delta.thinking);
        if (delta.type === "input_json_delta" && isCall) calls[calls.length - 1]!.input += text(delta.partial_json);
        break;
      case "content_block_stop":
        must(event.index === open, "the open block is closed");
        open = null;
        break;
      default:
        must(false, `no event ${String(event.type)} here`);
    }
  }
  must(open === null, "every block is closed");
  return { ...heard, calls: parsed(calls.map((call) => ({ ...call, input: call.input === "" ? "{}" : call.input }))) };
}

/** Events in the order that the SDK requires. */
export function hearResponses(stream: string): Heard {
  const events = eventsOf(stream);
  const response = validateEvents(events);
  const output = objects(response.output);
  const contents = output.flatMap(({ content }) => objects(content));
  return {
    text: contents.map((content) => text(content.text)).join(""),
    reasoning: output.flatMap(({ summary }) => objects(summary).map((part) => text(part.text))).join(""),
    calls: parsed(
      output
        .filter(({ type }) => type === "function_call")
        .map((item) => ({ name: text(item.name), input: text(item.arguments) })),
    ),
    finish: text(response.status),
  };
}

/** `alt=sse`: one response in each event, no event lines, no terminator. */
export function hearGeminiEvents(stream: string): Heard {
  must(oneNewline(stream).endsWith("\n\n"), "a blank line is last");
  must(!/^event:/m.test(stream) && !stream.includes("[DONE]"), "data alone");
  return hearGemini(dataOf(stream).map((data) => JSON.parse(data) as unknown));
}

/** Without `alt=sse`: one JSON array. */
export function hearGeminiArray(stream: string): Heard {
  const chunks: unknown = JSON.parse(stream);
  must(Array.isArray(chunks), "one array");
  return hearGemini(chunks);
}

function hearGemini(chunks: unknown): Heard {
  const candidates = objects(chunks).map(({ candidates: all }) => objects(all)[0] ?? {});
  const parts = candidates.flatMap(({ content }) => objects(object(content).parts));
  const finishes = candidates.flatMap(({ finishReason }) => (finishReason === undefined ? [] : [text(finishReason)]));
  must(finishes.length === 1 && candidates.at(-1)?.finishReason !== undefined, "one finish reason, in the last chunk");
  const said = (thought: boolean) =>
    parts.filter((part) => (part.thought === true) === thought).map((part) => text(part.text));
  return {
    text: said(false).join(""),
    reasoning: said(true).join(""),
    calls: parts.flatMap(({ functionCall: call }) =>
      isObject(call) ? [{ name: text(call.name), input: call.args ?? {} }] : [],
    ),
    finish: finishes[0] ?? "",
  };
}

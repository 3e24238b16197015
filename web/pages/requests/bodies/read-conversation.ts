/** Reads the messages of a conversation from the bodies of any dialect, as far as they have a known form. */

export interface Message {
  /** `system`, `user`, `assistant`, `tool`, as the body says. */
  readonly role: string;
  readonly parts: readonly MessagePart[];
}

export interface MessagePart {
  readonly kind: "text" | "reasoning" | "call" | "result" | "other";
  /** The tool of a call; null for others. */
  readonly name: string | null;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The messages of a body; null if it is no conversation. */
export function readConversation(text: string, isStream: boolean): readonly Message[] | null {
  const messages = isStream ? readEvents(text) : readWhole(parse(text));
  return messages.some(({ parts }) => parts.length > 0) ? messages.filter(({ parts }) => parts.length > 0) : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readWhole(body: unknown): Message[] {
  if (!isFields(body)) return [];
  const system = partsOf(body["system"] ?? body["instructions"] ?? field(body["systemInstruction"], "parts"));
  const first = system.length === 0 ? [] : [{ role: "system", parts: system }];
  const { input } = body;
  const asked = typeof input === "string" && "model" in body ? [{ role: "user", content: input }] : listOf(input);
  const said = [
    ...listOf(body["messages"]),
    ...asked,
    ...listOf(body["contents"]),
    ...listOf(body["choices"]).map((choice) => field(choice, "message")),
    ...listOf(body["candidates"]).map((candidate) => field(candidate, "content")),
    ...listOf(body["output"]),
  ];
  // An answer of Anthropic is one message.
  if (body["type"] === "message") said.push(body);
  return [...first, ...said.filter(isFields).map(messageOf)];
}

function messageOf(message: Fields): Message {
  const { role, type } = message;
  const parts = [
    ...partsOf(message["reasoning_content"] ?? message["reasoning"], "reasoning"),
    ...partsOf(message["content"] ?? message["parts"]),
    ...listOf(message["tool_calls"]).flatMap((call) => partsOf(call)),
    // An item of the Responses API that is no message is a part by itself.
    ...(typeof type === "string" && type !== "message" && role === undefined ? partsOf(message) : []),
  ];
  const speaker = typeof role === "string" ? role : String(type).endsWith("_output") ? "tool" : "assistant";
  return { role: speaker === "model" ? "assistant" : speaker, parts };
}

function partsOf(content: unknown, kind: MessagePart["kind"] = "text"): MessagePart[] {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ kind, name: null, text: content }];
  if (Array.isArray(content)) return content.flatMap((each) => partsOf(each, kind));
  return isFields(content) ? [partOf(content, kind)].filter(({ text }) => text !== "") : [];
}

function partOf(part: Fields, kind: MessagePart["kind"]): MessagePart {
  const called = first(part, ["function", "functionCall"]) ?? part;
  const name = first(called, ["name"]);
  const argument = first(called, ["arguments", "args", "input"]);
  if (typeof name === "string" && argument !== undefined) return { kind: "call", name, text: asText(argument) };
  const thought = first(part, ["thinking", "summary"]);
  if (thought !== undefined) return { kind: "reasoning", name: null, text: asText(thought) };
  const result =
    first(part, ["output", "functionResponse"]) ?? (part["type"] === "tool_result" ? part["content"] : null);
  if (result !== null && result !== undefined) return { kind: "result", name: null, text: asText(result) };
  const text = first(part, ["text", "refusal"]);
  if (typeof text === "string") return { kind: part["thought"] === true ? "reasoning" : kind, name: null, text };
  return { kind: "other", name: null, text: asText(part) };
}

/** A text as it is, texts of a list one below the other, anything else as JSON. */
function asText(value: unknown): string {
  if (typeof value === "string") return value;
  const texts = listOf(value).map((each) => field(each, "text"));
  if (texts.length > 0 && texts.every((text) => typeof text === "string")) return texts.join("\n");
  return JSON.stringify(value, null, 2);
}

/** The message that the events of a stream put together. Pieces of one text were joined when they were kept. */
function readEvents(text: string): Message[] {
  const parts: MessagePart[] = [];
  const add = (kind: MessagePart["kind"], piece: unknown, name: string | null = null) => {
    if (typeof piece !== "string" || (piece === "" && name === null)) return;
    const last = parts.at(-1);
    if (name === null && last?.kind === kind) parts[parts.length - 1] = { ...last, text: last.text + piece };
    else parts.push({ kind, name, text: piece });
  };
  for (const event of text.split("\n\n")) {
    const data = parse(
      event
        .split("\n")
        .find((line) => line.startsWith("data: "))
        ?.slice(6) ?? "",
    );
    if (!isFields(data)) continue;
    for (const choice of listOf(data["choices"])) readDelta(field(choice, "delta"), add);
    for (const candidate of listOf(data["candidates"])) {
      for (const part of partsOf(field(field(candidate, "content"), "parts"))) add(part.kind, part.text, part.name);
    }
    const { type, delta } = data;
    if (type === "content_block_start") {
      const block = data["content_block"];
      if (field(block, "type") === "tool_use") add("call", "", String(field(block, "name")));
    } else if (type === "response.output_item.added" && field(data["item"], "type") === "function_call") {
      add("call", "", String(field(data["item"], "name")));
    } else if (typeof delta === "string") {
      if (type === "response.output_text.delta") add("text", delta);
      else if (String(type).includes("reasoning")) add("reasoning", delta);
      else if (type === "response.function_call_arguments.delta") add("call", delta);
    } else if (type === "content_block_delta") readDelta(delta, add);
    if (isFields(data["error"])) add("other", asText(data["error"]));
  }
  return [{ role: "assistant", parts }];
}

function readDelta(
  delta: unknown,
  add: (kind: MessagePart["kind"], piece: unknown, name?: string | null) => void,
): void {
  if (!isFields(delta)) return;
  add("reasoning", first(delta, ["reasoning_content", "reasoning", "thinking"]));
  add("text", first(delta, ["content", "text", "refusal"]));
  add("call", delta["partial_json"]);
  for (const call of listOf(delta["tool_calls"])) {
    const named = field(call, "function");
    const name = field(named, "name");
    add("call", field(named, "arguments") ?? "", typeof name === "string" ? name : null);
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function field(value: unknown, name: string): unknown {
  return isFields(value) ? value[name] : undefined;
}

function first(value: unknown, names: readonly string[]): unknown {
  return names.map((name) => field(value, name)).find((each) => each !== undefined && each !== null);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

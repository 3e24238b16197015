/** Holds a stream of response events against the rules that the official SDK enforces. */
import { isObject, type JsonObject } from "../../../json/values.ts";

interface SeenItem {
  readonly item: JsonObject;
  /** Text of each content, summary or argument, by the name and place of it. */
  readonly texts: Map<string, string>;
  readonly contentTypes: Map<number, unknown>;
  done: boolean;
}

const lifecycle = ["response.created", "response.in_progress", "response.completed", "response.incomplete"];

/** The items in which a delta or a done event may occur, and the member of the done event with the whole text. */
const textEvents: Readonly<Record<string, { readonly item: string; readonly text: string; readonly at?: string }>> = {
  "response.output_text": { item: "message", text: "text", at: "content_index" },
  "response.refusal": { item: "message", text: "refusal", at: "content_index" },
  "response.reasoning_summary_text": { item: "reasoning", text: "text", at: "summary_index" },
  "response.function_call_arguments": { item: "function_call", text: "arguments" },
  "response.custom_tool_call_input": { item: "custom_tool_call", text: "input" },
};

/** The SSE events of a stream as objects, after checking that each is named for its type. */
export function parseEvents(stream: string): JsonObject[] {
  const blocks = stream.split("\n\n");
  if (blocks.pop() !== "") throw new Error("The stream does not end with a blank line.");
  return blocks.map((block) => {
    const [, name, data] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(block) ?? [];
    const event: unknown = JSON.parse(data ?? "");
    if (!isObject(event) || event.type !== name) throw new Error(`Not an event named for its type: ${block}`);
    return event;
  });
}

/** Throws at the first event that breaks a rule, saying which. Returns the last response object. */
export function validateEvents(events: readonly JsonObject[]): JsonObject {
  const items = new Map<unknown, SeenItem>();
  let last: JsonObject | null = null;
  let ended = false;

  for (const [position, event] of events.entries()) {
    const type = String(event.type);
    const check = (holds: boolean, what: string) => {
      if (!holds) throw new Error(`Event ${position} (${type}): ${what}.`);
    };
    check(!ended, "after the last event");
    check(event.sequence_number === position, `sequence number ${String(event.sequence_number)}`);
    if (position < 2) check(type === lifecycle[position], `${String(lifecycle[position])} is due`);

    if (isObject(event.response)) {
      check(position < 2 || type !== "response.created", "created twice");
      check(last === null || event.response.id === last.id, "the response's id has changed");
      last = event.response;
      ended = position > 1;
      if (type === "response.completed" || type === "response.incomplete") checkEnd(last, items, check);
    } else if (type === "response.output_item.added") {
      check(isObject(event.item) && !items.has(event.output_index), "an output index twice");
      check(event.output_index === items.size, `output index ${String(event.output_index)}`);
      const item = isObject(event.item) ? event.item : {};
      check(
        [...items.values()].every((seen) => seen.item.id !== item.id),
        "an item id twice",
      );
      items.set(event.output_index, { item, texts: new Map(), contentTypes: new Map(), done: false });
    } else if (type !== "error") {
      const seen = items.get(event.output_index);
      check(seen !== undefined && !seen.done, "its item is not open");
      if (seen !== undefined) checkItemEvent(event, seen, check);
    }
  }
  if (!ended || last === null) throw new Error("The stream has no last event.");
  return last;
}

type Check = (holds: boolean, what: string) => void;

function checkItemEvent(event: JsonObject, seen: SeenItem, check: Check): void {
  const type = String(event.type);
  if (type === "response.output_item.done") {
    const item = isObject(event.item) ? event.item : {};
    check(item.id === seen.item.id && item.type === seen.item.type, "another item than was added");
    check(item.call_id === seen.item.call_id, "another call id than was added");
    checkTexts(item, seen, check);
    seen.done = true;
    return;
  }
  check(event.item_id === seen.item.id, "another item id than was added");
  if (type === "response.content_part.added") {
    check(event.content_index === seen.contentTypes.size, "content out of order");
    seen.contentTypes.set(Number(event.content_index), isObject(event.part) ? event.part.type : null);
  }
  const [, base = "", action] = /^(.*)\.(delta|done)$/.exec(type) ?? [];
  const rule = textEvents[base];
  if (rule === undefined) return;
  check(seen.item.type === rule.item, `within a ${String(seen.item.type)} item`);
  if (rule.at === "content_index") {
    const kind = base === "response.refusal" ? "refusal" : "output_text";
    check(seen.contentTypes.get(Number(event.content_index)) === kind, "for content of another type");
  }
  const key = `${base} ${String(rule.at === undefined ? 0 : event[rule.at])}`;
  const text = seen.texts.get(key) ?? "";
  if (action === "delta") seen.texts.set(key, text + String(event.delta));
  else check(event[rule.text] === text, "its text is not what the deltas say");
}

/** A finished item has the text of its deltas. */
function checkTexts(item: JsonObject, { texts }: SeenItem, check: Check): void {
  const streamedText = [...texts.values()].join("");
  const lists = [item.content, item.summary].flatMap((list) => (Array.isArray(list) ? list : []));
  const held = lists.filter(isObject).map((part) => part.text ?? part.refusal);
  check([...held, item.arguments, item.input].join("") === streamedText, "it holds another text than its deltas say");
}

function checkEnd(response: JsonObject, items: ReadonlyMap<unknown, SeenItem>, check: Check): void {
  check(
    [...items.values()].every((seen) => seen.done),
    "an item is not done",
  );
  const output = Array.isArray(response.output) ? response.output.filter(isObject) : [];
  const ids = [...items.values()].map((seen) => seen.item.id);
  check(output.map((item) => item.id).join() === ids.join(), "its output is not what was streamed");
}

import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { type Check, invalidValue, list, missing, object, oneOf, text } from "../openai-chat/check-value.ts";
import { isOwnSeal } from "./seal.ts";

const maxCallIdLength = 64;
const role = oneOf("user", "assistant", "system", "developer");
const said = oneOf("output_text", "refusal");
const given = oneOf("input_text", "input_image", "input_file");

/** Items of hosted tools, which are not checked. */
const hosted =
  "web_search_call file_search_call code_interpreter_call image_generation_call computer_call computer_call_output " +
  "mcp_list_tools mcp_call mcp_approval_request mcp_approval_response local_shell_call local_shell_call_output " +
  "shell_call shell_call_output apply_patch_call apply_patch_call_output compaction tool_search_call tool_search_output";

const checks: Readonly<Record<string, Check>> = {
  message: checkMessage,
  reasoning: checkReasoning,
  function_call: checkCall("arguments"),
  custom_tool_call: checkCall("input"),
  function_call_output: checkOutput,
  custom_tool_call_output: checkOutput,
  item_reference: (value, path) => void text(objectOrEmpty(value)["id"], `${path}.id`),
  ...Object.fromEntries(hosted.split(" ").map((type) => [type, object])),
};

const itemType = oneOf(...Object.keys(checks));

/** Checks the shape of `input`. `check-item-order.ts` checks that its items belong together. */
export function checkInput(value: unknown): void {
  if (value === undefined || value === null) throw missing("input");
  if (typeof value === "string") return;
  list(value, "input");
  listOrEmpty(value).forEach((item, index) => {
    const path = `input[${index}]`;
    object(item, path);
    const { type = "message" } = objectOrEmpty(item);
    checks[itemType(type, `${path}.type`)]?.(item, path);
  });
}

function checkMessage(value: unknown, path: string): void {
  const message = objectOrEmpty(value);
  if (message["role"] === undefined) throw missing(`${path}.role`);
  const content = message["content"];
  const speaker = role(message["role"], `${path}.role`);
  if (content === undefined) throw missing(`${path}.content`);
  if (typeof content !== "string") checkContent(content, `${path}.content`, speaker === "assistant" ? said : given);
}

function checkContent(content: unknown, path: string, type: typeof said): void {
  list(content, path);
  listOrEmpty(content).forEach((value, index) => {
    const at = `${path}[${index}]`;
    object(value, at);
    const part = objectOrEmpty(value);
    if (part["type"] === undefined) throw missing(`${at}.type`);
    checkPart(part, type(part["type"], `${at}.type`), at);
  });
}

function checkPart(part: JsonObject, kind: string, path: string): void {
  if (kind === "refusal") text(part["refusal"], `${path}.refusal`);
  else if (kind === "input_image") oneIsThere(part, ["image_url", "file_id"], path);
  else if (kind === "input_file") checkFile(part, path);
  else text(part["text"], `${path}.text`);
}

function checkFile(part: JsonObject, path: string): void {
  oneIsThere(part, ["file_data", "file_url", "file_id"], path);
  if (part["file_data"] === undefined) return;
  if (part["filename"] === undefined) throw missing(`${path}.filename`);
  if (!/^data:[^,]+;base64,/.test(text(part["file_data"], `${path}.file_data`))) {
    const expected = "Expected a base64-encoded data URL with a MIME type (e.g. 'data:application/pdf;base64,...').";
    throw invalidValue(`${path}.file_data`, `Invalid '${path}.file_data'. ${expected}`);
  }
}

function oneIsThere(part: JsonObject, names: readonly string[], path: string): void {
  const present = names.filter((name) => part[name] !== undefined && part[name] !== null);
  if (present.length === 0) throw missing(`${path}.${String(names[0])}`);
  for (const name of present) text(part[name], `${path}.${name}`);
}

function checkReasoning(value: unknown, path: string): void {
  const item = objectOrEmpty(value);
  if (item["id"] === undefined) throw missing(`${path}.id`);
  const id = text(item["id"], `${path}.id`);
  if (!id.startsWith("rs_")) {
    const message = `Invalid '${path}.id': '${id.slice(0, 100)}'. Expected an ID that begins with 'rs'.`;
    throw invalidValue(`${path}.id`, message);
  }
  if (item["summary"] === undefined) throw missing(`${path}.summary`);
  list(item["summary"], `${path}.summary`);
  const sealed = item["encrypted_content"];
  if (sealed === undefined || sealed === null || isOwnSeal(text(sealed, `${path}.encrypted_content`))) return;
  const message = `The encrypted content for item ${id} could not be verified.`;
  throw invalidValue("input", message, "invalid_encrypted_content");
}

function checkCall(inputName: string): Check {
  return (value, path) => {
    const call = objectOrEmpty(value);
    checkCallId(call["call_id"], `${path}.call_id`);
    if (call["name"] === undefined) throw missing(`${path}.name`);
    text(call["name"], `${path}.name`);
    if (call[inputName] === undefined) throw missing(`${path}.${inputName}`);
    text(call[inputName], `${path}.${inputName}`);
  };
}

function checkOutput(value: unknown, path: string): void {
  const { call_id: callId, output } = objectOrEmpty(value);
  checkCallId(callId, `${path}.call_id`);
  if (output === undefined) throw missing(`${path}.output`);
  if (typeof output !== "string") checkContent(output, `${path}.output`, given);
}

function checkCallId(value: unknown, path: string): void {
  if (value === undefined) throw missing(path);
  const { length } = text(value, path);
  if (length === 0) throw invalidValue(path, `Invalid '${path}': empty string.`, "empty_string");
  if (length <= maxCallIdLength) return;
  const expected = `Expected a string with maximum length ${maxCallIdLength}, but got a string with length ${length}`;
  throw invalidValue(path, `Invalid '${path}': string too long. ${expected} instead.`, "string_above_max_length");
}

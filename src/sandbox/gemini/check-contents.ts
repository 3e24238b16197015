import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { invalidArgument } from "./check-shape.ts";
import { isSignature, needsSignatures } from "./signatures.ts";

/** Checks the conversation of a request with the right shape. Throws Google's error. */
export function checkContents(contents: readonly JsonObject[], model: string): void {
  if (contents.length === 0) throw invalidArgument("* GenerateContentRequest.contents: contents is not specified");
  contents.forEach((content, index) => {
    const { role } = content;
    if (role !== undefined && role !== "" && role !== "user" && role !== "model" && role !== "function") {
      throw invalidArgument("Please use a valid role: user, model.", `contents[${index}].role`);
    }
    checkParts(partsOf(content), `contents[${index}]`);
  });
  const turns = joinModelTurns(contents);
  checkFunctionTurns(turns);
  if (needsSignatures(model)) checkSignatures(turns);
}

/** Joins adjacent contents of the model: chunks of a streamed answer are one turn. */
function joinModelTurns(contents: readonly JsonObject[]): JsonObject[] {
  const turns: JsonObject[] = [];
  for (const content of contents) {
    const last = turns.at(-1);
    if (last?.["role"] === "model" && content["role"] === "model") {
      turns[turns.length - 1] = { ...last, parts: [...partsOf(last), ...partsOf(content)] };
    } else turns.push(content);
  }
  return turns;
}

export function partsOf(content: unknown): readonly JsonObject[] {
  return listOrEmpty(objectOrEmpty(content)["parts"]).map(objectOrEmpty);
}

const dataFields = "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult".split(
  " ",
);

export function checkParts(parts: readonly JsonObject[], path: string): void {
  if (parts.length === 0) {
    throw invalidArgument(`* GenerateContentRequest.${path}.parts: contents.parts must not be empty.`, `${path}.parts`);
  }
  parts.forEach((part, index) => checkPart(part, `${path}.parts[${index}]`));
}

function checkPart(part: JsonObject, path: string): void {
  const data = dataFields.filter((name) => part[name] !== undefined);
  if (data.length === 0) {
    throw invalidArgument(
      `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field`,
      path,
    );
  }
  if (data.length > 1) {
    throw invalidArgument(
      `Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${data[1]}'`,
      path,
    );
  }
  const blob = objectOrEmpty(part["inlineData"]);
  if (part["inlineData"] !== undefined && (blob["mimeType"] === undefined || blob["data"] === undefined)) {
    throw invalidArgument("Unable to process input: inline_data needs a mime_type and data.", `${path}.inlineData`);
  }
  if (part["fileData"] !== undefined) checkFileUri(objectOrEmpty(part["fileData"])["fileUri"], path);
}

const openedUris =
  /^(https:\/\/generativelanguage\.googleapis\.com\/|https:\/\/((www|m)\.)?youtube\.com\/|https:\/\/youtu\.be\/|gs:\/\/)/;

function checkFileUri(uri: unknown, path: string): void {
  if (typeof uri === "string" && openedUris.test(uri)) return;
  throw invalidArgument(`Cannot fetch content from the provided URL: ${String(uri).slice(0, 200)}`, `${path}.fileData`);
}

/** Calls must follow a user's turn, and the next turn must answer each of them and nothing else. */
function checkFunctionTurns(contents: readonly JsonObject[]): void {
  contents.forEach((content, index) => {
    const calls = named(content, "functionCall");
    const responses = named(contents[index + 1], "functionResponse");
    if (calls.length > 0 && (index === 0 || objectOrEmpty(contents[index - 1])["role"] === "model")) {
      throw invalidArgument(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    }
    const mayEnd = calls.length > 0 && index === contents.length - 1;
    if (mayEnd || calls.length === responses.length) return checkAnswers(calls, mayEnd ? calls : responses);
    throw invalidArgument(
      calls.length === 0
        ? "Please ensure that function response turn comes immediately after a function call turn."
        : "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
  });
  if (named(contents[0], "functionResponse").length > 0) {
    throw invalidArgument("Please ensure that function response turn comes immediately after a function call turn.");
  }
}

function named(content: unknown, field: string): JsonObject[] {
  return partsOf(content).flatMap((part) => (part[field] === undefined ? [] : [objectOrEmpty(part[field])]));
}

function checkAnswers(calls: readonly JsonObject[], responses: readonly JsonObject[]): void {
  const open = [...calls];
  for (const response of responses) {
    const found = open.findIndex(
      ({ id, name }) =>
        name === response["name"] && (id === undefined || response["id"] === undefined || id === response["id"]),
    );
    if (found < 0) {
      throw invalidArgument(
        `Function response '${String(response["name"]).slice(0, 100)}' does not match any function call of the turn before.`,
      );
    }
    open.splice(found, 1);
  }
}

/** After the user's last text, the first call of each turn must have the signature of the model. */
function checkSignatures(contents: readonly JsonObject[]): void {
  const isWords = (content: JsonObject) =>
    content["role"] !== "model" && partsOf(content).some((part) => part["functionResponse"] === undefined);
  const current = contents.findLastIndex(isWords);
  contents.forEach((content, index) => {
    const parts = partsOf(content);
    const position = parts.findIndex((part) => part["functionCall"] !== undefined);
    const call = parts[position];
    if (index > current && call !== undefined && call["thoughtSignature"] === undefined) {
      const name = String(objectOrEmpty(call["functionCall"])["name"]).slice(0, 100);
      throw invalidArgument(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Function call \`${name}\`, position ${index}.`,
        `contents[${index}].parts[${position}]`,
      );
    }
    for (const part of parts) {
      if (part["thoughtSignature"] !== undefined && !isSignature(part["thoughtSignature"])) {
        throw invalidArgument("Thought signature is not valid.", `contents[${index}]`);
      }
    }
  });
}

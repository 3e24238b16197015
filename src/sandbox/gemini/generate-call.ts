import type { Call, Frame } from "../dialect.ts";
import { isObject, listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { checkContents, checkParts, partsOf } from "./check-contents.ts";
import { checkSettings } from "./check-settings.ts";
import { invalidArgument, readMessage } from "./check-shape.ts";
import { geminiError } from "./errors.ts";
import { asksForImage, writeImage } from "./draw.ts";
import { asksForSpeech, writeSpeech } from "./speak.ts";
import { readPrompt } from "./read-prompt.ts";
import { writeAnswer } from "./write-answer.ts";
import { writeStream } from "./write-stream.ts";

/** Reads a request of `:generateContent` or `:streamGenerateContent`. Throws Google's error if it is invalid. */
export function readGenerateCall(text: string, model: string, stream: { readonly form: Frame["form"] } | null): Call {
  const request = readRequest(parseBody(text), model);
  const config = objectOrEmpty(request["generationConfig"]);
  const wire = {
    showsThoughts: objectOrEmpty(config["thinkingConfig"])["includeThoughts"] === true,
    logprobs: config["responseLogprobs"] === true,
  };
  const form = stream?.form;
  const speaks = asksForSpeech(request);
  const draws = !speaks && asksForImage(request);
  return {
    prompt: readPrompt(request, model),
    stream: stream !== null,
    directives: request["sandbox"],
    check() {},
    writeJson: (reply, script) =>
      draws
        ? JSON.stringify(writeImage(request, reply, script))
        : JSON.stringify(speaks ? writeSpeech(request, reply, script) : writeAnswer(reply, script, wire)),
    streamContentType: form === "array-item" ? "application/json; charset=UTF-8" : "text/event-stream",
    writeStream: (reply, script) => writeStream(reply, script, wire, form),
    errorFrame: (failure) => ({ data: JSON.stringify(geminiError(failure)), form }),
  };
}

/** Checks a request like Google, and returns it with fields in camelCase. */
export function readRequest(body: unknown, model: string, path = ""): JsonObject {
  const request = readMessage(body, "GenerateContentRequest", path);
  checkContents(listOrEmpty(request["contents"]).map(objectOrEmpty), model);
  if (request["systemInstruction"] !== undefined)
    checkParts(partsOf(request["systemInstruction"]), "system_instruction");
  checkSettings(request, model);
  return request;
}

/** Parses a body as a JSON object. */
export function parseBody(text: string): JsonObject {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw invalidArgument("Invalid JSON payload received. Unexpected token.");
  }
  if (isObject(body)) return body;
  throw invalidArgument("Invalid JSON payload received. Root element must be a message.");
}

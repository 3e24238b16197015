import type { Call } from "../dialect.ts";
import { isObject, objectOrEmpty, type JsonObject } from "../json.ts";
import type { Memory } from "../memory.ts";
import { Refusal } from "../refusal.ts";
import { checkCountRequest, checkRequest, checkThread, readVersion } from "./check-request.ts";
import { messagesError } from "./errors.ts";
import { firstBreakpoint } from "./read-cache.ts";
import { readPrompt } from "./read-prompt.ts";
import { holdThread, withThread } from "./threads.ts";
import { writeMessage } from "./write-answer.ts";
import { writeStream } from "./write-stream.ts";

type Headers = Readonly<Record<string, string>>;

/** Reads a request for a message. Throws Anthropic's error if it is invalid. */
export function readMessagesCall(text: string, headers: Headers, memory: Memory): Call {
  const version = readVersion(headers);
  const written = parseBody(text);
  checkThread(written["thread"], "thread");
  const body = withThread(written, memory);
  checkRequest(body, version);
  const thinking = objectOrEmpty(body["thinking"]);
  const wire = {
    hidesThinking: thinking["display"] === "omitted",
    thinksBeforeCalls: thinking["type"] === "enabled",
    lifetime: firstBreakpoint(body)?.lifetime ?? "5m",
  } as const;
  return {
    prompt: readPrompt(body),
    stream: body["stream"] === true,
    directives: body["sandbox"],
    check() {},
    writeJson(reply, script) {
      const message = writeMessage(reply, script, wire);
      holdThread(written, body, message, memory);
      return JSON.stringify(message);
    },
    streamContentType: "text/event-stream; charset=utf-8",
    writeStream(reply, script) {
      holdThread(written, body, writeMessage(reply, script, wire), memory);
      return writeStream(reply, script, wire);
    },
    errorFrame: (failure) => ({ event: "error", data: JSON.stringify(messagesError(failure)) }),
  };
}

/** Reads a request to count tokens without creating a message. */
export function readCountCall(text: string, headers: Headers): Call {
  const version = readVersion(headers);
  const body = parseBody(text);
  checkCountRequest(body, version);
  return {
    prompt: readPrompt(body),
    stream: false,
    directives: body["sandbox"],
    check() {},
    writeJson: ({ tokens }) => JSON.stringify({ input_tokens: tokens.input }),
    streamContentType: "application/json",
    writeStream: () => [],
    errorFrame: (failure) => ({ data: JSON.stringify(messagesError(failure)) }),
  };
}

function parseBody(text: string): JsonObject {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, "The request body is not valid JSON.");
  }
  if (isObject(body)) return body;
  throw new Refusal(400, "Input should be an object.");
}

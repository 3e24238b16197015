import type { Call, Frame } from "../dialect.ts";
import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { promptOfTexts } from "../prompt.ts";
import { Refusal } from "../refusal.ts";
import type { Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import { chatError } from "./errors.ts";
import { parseBody } from "./parse-body.ts";
import { writeUsage } from "./write-usage.ts";

/** Reads a request of the legacy `/v1/completions`. Throws OpenAI's error if it is invalid. */
export function readCompletionsCall(text: string): Call {
  const body = parseBody(text);
  if (typeof body["model"] !== "string") throw new Refusal(400, "you must provide a model parameter");
  const prompts = promptsOf(body["prompt"]);
  const includeUsage = objectOrEmpty(body["stream_options"])["include_usage"] === true;
  const perPrompt = typeof body["n"] === "number" ? body["n"] : 1;
  return {
    prompt: {
      ...promptOfTexts(body["model"], prompts),
      maxTokens: typeof body["max_tokens"] === "number" ? body["max_tokens"] : null,
      stop: (typeof body["stop"] === "string" ? [body["stop"]] : listOrEmpty(body["stop"])).map(String),
      choices: prompts.length * perPrompt,
    },
    stream: body["stream"] === true,
    directives: body["sandbox"],
    check() {},
    writeJson: (reply, script) => JSON.stringify(writeAnswer(reply, script)),
    streamContentType: "text/event-stream; charset=utf-8",
    writeStream: (reply, script) => writeStream(reply, script, includeUsage),
    errorFrame: (failure) => ({ data: JSON.stringify(chatError(failure)) }),
  };
}

function promptsOf(prompt: unknown): string[] {
  if (typeof prompt === "string") return [prompt];
  const items = listOrEmpty(prompt);
  if (items.length === 0) throw new Refusal(400, "Missing required parameter: 'prompt'.", { param: "prompt" });
  if (typeof items[0] === "number") return [items.join(" ")];
  return items.map((item) => (Array.isArray(item) ? item.join(" ") : String(item)));
}

function head(reply: Reply): JsonObject {
  const id = "scripted" in reply.id ? reply.id.scripted : `cmpl-${reply.id.unique}`;
  return { id, object: "text_completion", created: reply.created, model: reply.model };
}

function writeAnswer(reply: Reply, script: Script): JsonObject {
  const usage = writeUsage(reply.tokens, script.usage);
  const choices = reply.choices.map(({ pieces, finishReason }, index) => ({
    text: pieces.join(""),
    index,
    logprobs: null,
    finish_reason: finishReason,
  }));
  return { ...head(reply), choices, ...(usage === null ? {} : { usage }) };
}

function* writeStream(reply: Reply, script: Script, includeUsage: boolean): Generator<Frame> {
  const usage = writeUsage(reply.tokens, script.usage);
  const chunk = (fields: object) => ({ data: JSON.stringify({ ...head(reply), ...fields }) });
  for (const [index, { pieces, finishReason }] of reply.choices.entries()) {
    for (const text of pieces) yield chunk({ choices: [{ text, index, logprobs: null, finish_reason: null }] });
    if (finishReason === null) continue;
    yield chunk({ choices: [{ text: "", index, logprobs: null, finish_reason: finishReason }] });
  }
  if (usage !== null && includeUsage) yield chunk({ choices: [], usage });
  if (script.no_done !== true) yield { data: "[DONE]" };
}

import type { Choice, Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import { chatAnswerId, type ChatWireOptions, serviceTier, systemFingerprint } from "./wire-options.ts";
import { writeLogprobs } from "./write-logprobs.ts";
import { writeUsage } from "./write-usage.ts";

/** A complete chat completion. */
export function writeChatAnswer(reply: Reply, script: Script, wire: ChatWireOptions): unknown {
  const usage = writeUsage(reply.tokens, script.usage);
  return {
    id: chatAnswerId(reply),
    object: "chat.completion",
    created: reply.created,
    model: reply.model,
    choices: reply.choices.map((choice, index) => ({
      index,
      message: writeMessage(choice, script),
      logprobs: writeLogprobs(choice.pieces, wire.topLogprobs),
      finish_reason: choice.finishReason,
    })),
    ...(usage === null ? {} : { usage }),
    service_tier: serviceTier,
    system_fingerprint: systemFingerprint,
  };
}

function writeMessage(choice: Choice, script: Script): unknown {
  const silent = choice.pieces.length === 0 && (choice.toolCalls.length > 0 || choice.refusal !== null);
  const calls = choice.toolCalls.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  return {
    role: "assistant",
    content: silent ? null : choice.pieces.join(""),
    ...(choice.reasoning === "" ? {} : { [script.reasoning_field ?? "reasoning_content"]: choice.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    refusal: choice.refusal,
    annotations: [],
  };
}

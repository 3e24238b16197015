import { isFault } from "../script/fault.ts";
import type { SandboxModel } from "../models.ts";
import { closingToolResults, type Prompt } from "../prompt.ts";
import type { PromptCache } from "../prompt-cache.ts";
import type { Choice, Reply, Tokens, ToolCall } from "../reply.ts";
import type { Script } from "../script/script.ts";
import { countPromptTokens, countTokens } from "../tokens.ts";
import { chooseToolCalls } from "./choose-tool-calls.ts";
import { echoReasoning } from "./echo.ts";
import { writeText } from "./write-text.ts";

/** The inputs of a reply apart from prompt and script. */
export interface Occasion {
  readonly model: SandboxModel;
  readonly cache: PromptCache;
  /** A hash of the request, from which call ids are derived. */
  readonly requestHash: string;
  /** Unique, without a vendor's prefix. */
  readonly answerId: string;
  /** Seconds since 1970. */
  readonly created: number;
}

/** Composes the answer of the scripted model: from the script, otherwise from the request. */
export function composeReply(prompt: Prompt, script: Script, occasion: Occasion): Reply {
  const choice = composeChoice(prompt, script, occasion);
  return {
    id: script.id === undefined ? { unique: occasion.answerId } : { scripted: script.id },
    model: prompt.model,
    created: occasion.created,
    choices: Array.from({ length: prompt.choices }, () => choice),
    tokens: countReply(prompt, script, choice, occasion.cache),
  };
}

function composeChoice(prompt: Prompt, script: Script, occasion: Occasion): Choice {
  const toolCalls = composeToolCalls(prompt, script, occasion);
  const thinks = occasion.model.reasons && prompt.reasoning;
  const reasoning = script.reasoning ?? (thinks ? echoReasoning(prompt) : "");
  const silent = script.text === undefined && (toolCalls.length > 0 || script.refusal !== undefined);
  const written = silent && script.chunks === undefined ? null : writeText(prompt, script, reasoning);
  return {
    reasoning: written?.reasoning ?? reasoning,
    pieces: written?.pieces ?? [],
    refusal: script.refusal ?? null,
    toolCalls,
    finishReason: finishReasonOf(script, toolCalls, written?.cut ?? false),
    stopSequence: written?.stopSequence ?? null,
  };
}

function finishReasonOf(script: Script, toolCalls: readonly ToolCall[], cut: boolean): string | null {
  if (script.finish_reason !== undefined) return script.finish_reason;
  if (toolCalls.length > 0) return "tool_calls";
  return cut ? "length" : "stop";
}

function composeToolCalls(prompt: Prompt, script: Script, occasion: Occasion): readonly ToolCall[] {
  const idOf = (index: number) => `call_${occasion.requestHash}${index.toString().padStart(2, "0")}`;
  if (script.tool_calls !== undefined) {
    return script.tool_calls.map((call, index) => ({
      id: call.id ?? idOf(index),
      name: call.name,
      arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {}),
    }));
  }
  const speaks =
    [script.text, script.chunks, script.refusal].some((said) => said !== undefined) ||
    isFault(script.fault, "huge_frame");
  if (speaks || closingToolResults(prompt).length > 0) return [];
  return chooseToolCalls(prompt).map((call, index) => ({ id: idOf(index), ...call }));
}

function countReply(prompt: Prompt, script: Script, choice: Choice, cache: PromptCache): Tokens {
  const scripted = script.tokens ?? {};
  const cached = (scripted.cache_read ?? 0) + (scripted.cache_write ?? 0);
  const input = scripted.input ?? Math.max(countPromptTokens(prompt), cached);
  const found = prompt.cacheKey === null ? 0 : cache.read(prompt.cacheKey, input);
  const stored = prompt.cacheKey === null ? 0 : input - found;
  const reasoning = scripted.reasoning ?? countTokens(choice.reasoning) * prompt.choices;
  return {
    input,
    cacheRead: scripted.cache_read ?? found,
    cacheWrite: scripted.cache_write ?? stored,
    output: scripted.output ?? reasoning + countVisible(choice) * prompt.choices,
    reasoning,
  };
}

function countVisible(choice: Choice): number {
  const calls = choice.toolCalls.map((call) => countTokens(call.name) + countTokens(call.arguments));
  const texts = countTokens(choice.pieces.join("")) + countTokens(choice.refusal ?? "");
  return calls.reduce((sum, tokens) => sum + tokens, texts);
}

import { splitIntoWords } from "../compose/split-text.ts";
import type { Choice, Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import { makeSignature } from "./signatures.ts";
import { writeUsage } from "./write-usage.ts";

const finishReasons: Readonly<Record<string, string>> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
};

/** The parts of a request that determine the form of the answer. */
export interface GeminiWireOptions {
  readonly showsThoughts: boolean;
  readonly logprobs: boolean;
}

/** A complete answer: one GenerateContentResponse. */
export function writeAnswer(reply: Reply, script: Script, wire: GeminiWireOptions): unknown {
  return {
    candidates: reply.choices.map((choice, index) => ({
      content: { parts: joined(partsOf(choice, script, wire)), role: "model" },
      ...finishOf(choice),
      index,
      ...(wire.logprobs ? { logprobsResult: logprobsOf(choice.pieces) } : {}),
    })),
    usageMetadata: writeUsage(reply.tokens, script.usage),
    ...common(reply),
  };
}

/** The fields of every chunk. */
export function common(reply: Reply): object {
  return {
    modelVersion: reply.model,
    responseId: "scripted" in reply.id ? reply.id.scripted : `sandbox-${reply.id.unique}`,
  };
}

/** The finish reason in a candidate's last chunk; absent if the script sets none. */
export function finishOf({ finishReason }: Choice): { finishReason?: string } {
  if (finishReason === null) return {};
  return { finishReason: finishReasons[finishReason] ?? finishReason };
}

export interface AnswerPart {
  readonly text?: string;
  readonly thought?: true;
  readonly thoughtSignature?: string;
  readonly functionCall?: unknown;
}

/**
 * The parts of a choice in a stream. The first call of a turn has the signature; without calls, if the model has
 * reasoned, an empty text at the end has it.
 */
export function partsOf(choice: Choice, script: Script, wire: GeminiWireOptions): AnswerPart[] {
  const shown = wire.showsThoughts || script.reasoning !== undefined;
  const thoughts = shown ? splitIntoWords(choice.reasoning) : [];
  const calls = choice.toolCalls.map((call, index): AnswerPart => {
    const scriptedId = script.tool_calls?.[index]?.id;
    return {
      functionCall: {
        ...(scriptedId === undefined ? {} : { id: scriptedId }),
        name: call.name,
        args: argumentsOf(call.arguments),
      },
      ...(index === 0 ? { thoughtSignature: makeSignature(call.name + call.arguments) } : {}),
    };
  });
  const said: AnswerPart[] = [
    ...thoughts.map((text): AnswerPart => ({ text, thought: true })),
    ...[...choice.pieces, ...splitIntoWords(choice.refusal ?? "")].map((text) => ({ text })),
  ];
  const signed = choice.reasoning !== "" && calls.length === 0;
  const signature = signed ? [{ text: "", thoughtSignature: makeSignature(choice.reasoning) }] : [];
  return [...said, ...calls, ...signature];
}

/** Arguments are an object in this format: other values of the script are wrapped. */
function argumentsOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return { malformed: json };
  }
}

/** Joins adjacent texts of one kind to one part, for a complete answer. */
function joined(parts: readonly AnswerPart[]): AnswerPart[] {
  const all: AnswerPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    const goesOn =
      last?.text !== undefined && part.text !== undefined && last.thought === part.thought && !last.thoughtSignature;
    if (goesOn) all[all.length - 1] = { ...last, ...part, text: last.text + part.text };
    else all.push(part);
  }
  return all.length === 0 ? [{ text: "" }] : all;
}

/** Log probabilities: constant for every chunk. */
export function logprobsOf(pieces: readonly string[]): unknown {
  return { chosenCandidates: pieces.map((token) => ({ token, tokenId: 1, logProbability: -0.25 })) };
}

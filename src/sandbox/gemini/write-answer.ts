import { splitIntoWords } from "../compose/split-text.ts";
import type { Choice, Reply } from "../reply.ts";
import type { Script } from "../script.ts";
import { makeSignature } from "./signatures.ts";
import { writeUsage } from "./write-usage.ts";

const finishReasons: Readonly<Record<string, string>> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
};

/** What a request says about the form of its answer. */
export interface GeminiWireOptions {
  readonly showsThoughts: boolean;
  readonly logprobs: boolean;
}

/** A whole answer: one GenerateContentResponse. */
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

/** What every chunk says. */
export function common(reply: Reply): object {
  return {
    modelVersion: reply.model,
    responseId: "scripted" in reply.id ? reply.id.scripted : `sandbox-${reply.id.unique}`,
  };
}

/** Named in a candidate's last chunk; nothing where the script wants none. */
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
 * A choice part by part, as a stream has it. The first call of a turn bears the signature, or else, where the model has
 * thought, an empty text at the end.
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

/** Arguments are an object on this wire: what the script wrote that is none is put into one. */
function argumentsOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return { malformed: json };
  }
}

/** Neighbouring texts of one kind as one part, as a whole answer has them. */
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

/** Log probabilities: invented, the same for every piece. */
export function logprobsOf(pieces: readonly string[]): unknown {
  return { chosenCandidates: pieces.map((token) => ({ token, tokenId: 1, logProbability: -0.25 })) };
}

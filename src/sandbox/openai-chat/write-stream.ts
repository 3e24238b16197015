import type { Frame } from "../dialect.ts";
import { splitIntoPieces, splitIntoWords } from "../compose/split-text.ts";
import type { Choice, Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import { chatAnswerId, type ChatWireOptions, serviceTier, systemFingerprint } from "./wire-options.ts";
import { writeLogprobs } from "./write-logprobs.ts";
import { writeUsage } from "./write-usage.ts";

const argumentsPerDelta = 12;

interface ChoiceChunk {
  readonly delta: unknown;
  readonly logprobs: unknown;
}

/** A chat completion as a stream, ended by `[DONE]`. Several choices alternate. */
export function* writeChatStream(reply: Reply, script: Script, wire: ChatWireOptions): Generator<Frame> {
  const usage = writeUsage(reply.tokens, script.usage);
  const usageIsSent = usage !== null && (wire.includeUsage || script.usage_place !== undefined);
  const place = usageIsSent ? (script.usage_place ?? "empty_choices") : null;
  const chunk = chunkWriter(reply, wire.includeUsage && usage !== null);

  const running = reply.choices.map((choice) => choiceChunks(choice, script, wire));
  let left = running.length;
  while (left > 0) {
    left = 0;
    for (const [index, chunks] of running.entries()) {
      const next = chunks.next();
      if (next.done === true) continue;
      left += 1;
      yield chunk({ choices: [{ index, ...next.value, finish_reason: null }] });
    }
  }
  for (const [index, { finishReason }] of reply.choices.entries()) {
    if (finishReason === null) continue;
    const carriesUsage = place === "last_choice" && index === reply.choices.length - 1;
    const choices = [{ index, delta: {}, logprobs: null, finish_reason: finishReason }];
    yield chunk({ choices, ...(carriesUsage ? { usage } : {}) });
  }
  if (place === "empty_choices") yield chunk({ choices: [], usage });
  if (place === "no_choices") yield chunk({ usage });
  if (script.no_done !== true) yield { data: "[DONE]" };
}

/** Writes the chunks of one answer; they have `usage: null` only if usage was requested. */
function chunkWriter(reply: Reply, usageAsked: boolean): (fields: object) => Frame {
  const common = {
    id: chatAnswerId(reply),
    object: "chat.completion.chunk",
    created: reply.created,
    model: reply.model,
    service_tier: serviceTier,
    system_fingerprint: systemFingerprint,
    ...(usageAsked ? { usage: null } : {}),
  };
  return (fields) => ({ data: JSON.stringify({ ...common, ...fields }) });
}

function* choiceChunks(choice: Choice, script: Script, wire: ChatWireOptions): Generator<ChoiceChunk> {
  const silent = choice.pieces.length === 0 && choice.toolCalls.length > 0;
  yield { delta: { role: "assistant", content: silent ? null : "", refusal: null }, logprobs: null };
  for (const piece of splitIntoWords(choice.reasoning)) {
    yield { delta: { [script.reasoning_field ?? "reasoning_content"]: piece }, logprobs: null };
  }
  for (const piece of choice.pieces) {
    yield { delta: { content: piece }, logprobs: writeLogprobs([piece], wire.topLogprobs) };
  }
  for (const piece of splitIntoWords(choice.refusal ?? "")) yield { delta: { refusal: piece }, logprobs: null };
  for (const delta of toolCallDeltas(choice)) yield { delta: { tool_calls: [delta] }, logprobs: null };
}

function* toolCallDeltas(choice: Choice): Generator {
  for (const [index, call] of choice.toolCalls.entries()) {
    yield { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
    const fragments = splitIntoPieces(call.arguments, Math.ceil(call.arguments.length / argumentsPerDelta));
    for (const fragment of fragments) yield { index, function: { arguments: fragment } };
  }
}

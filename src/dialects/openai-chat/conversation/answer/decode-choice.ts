import type { Part } from "../../../../conversation/parts.ts";
import type { StreamEvent } from "../../../../conversation/stream.ts";
import { parseToolInput } from "../../../../conversation/tool-calls.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../../json/values.ts";
import { AnswerFault } from "../../../exchange.ts";
import { decodeAnnotations, googleSignature } from "../request/decode-messages.ts";
import { decodeContentItem, decodeImage } from "./decode-response.ts";
import { decodeFinishReason } from "./finish-reason.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { decodeReasoningDetails } from "../reasoning-details.ts";

/** Reads one choice of a stream: what its deltas say, part by part. */
export interface ChoiceDecoder {
  push(choice: JsonObject, events: StreamEvent[]): void;
  /** The provider has ended the stream: an answer without a finish reason of its own is taken as it is. */
  end(events: StreamEvent[]): void;
  readonly finished: boolean;
}

interface OpenCall {
  /** The part's index. */
  readonly index: number;
  input: string;
  open: boolean;
}

type TextType = "text" | "reasoning" | "refusal";

/**
 * Text, reasoning and refusals are one part until another kind begins. Tool calls stay open until they hold whole JSON
 * and another part begins, or the choice ends: some servers interleave the arguments of parallel calls.
 */
export function openChoiceDecoder(candidate: number): ChoiceDecoder {
  const calls = new Map<number, OpenCall>();
  let openText: { readonly type: TextType; readonly index: number } | null = null;
  let partCount = 0;
  const signed = new Set<string>();
  let finished = false;

  const start = (part: Part, events: StreamEvent[]): number => {
    closeText(events);
    closeWholeCalls(events, false);
    const index = partCount++;
    events.push({ type: "part-start", candidate, index, part });
    return index;
  };

  const closeText = (events: StreamEvent[]) => {
    if (openText !== null) events.push({ type: "part-end", candidate, index: openText.index });
    openText = null;
  };

  const closeWholeCalls = (events: StreamEvent[], all: boolean) => {
    for (const call of calls.values()) {
      if (!call.open || (!all && (call.input === "" || parseToolInput(call.input) === null))) continue;
      call.open = false;
      events.push({ type: "part-end", candidate, index: call.index });
    }
  };

  const pushText = (type: TextType, text: unknown, events: StreamEvent[]): void => {
    if (typeof text !== "string" || text === "") return;
    if (openText?.type !== type) openText = { type, index: start({ type, text: "" }, events) };
    events.push({ type: "text-delta", candidate, index: openText.index, text });
  };

  const pushWholePart = (part: Part, events: StreamEvent[]) => {
    const index = start(part, events);
    events.push({ type: "part-end", candidate, index });
  };

  /** Fields beside the content that belong to it. */
  const addToText = (index: number, delta: JsonObject, events: StreamEvent[]) => {
    if (delta.annotations !== undefined) {
      for (const citation of decodeAnnotations(delta.annotations) ?? []) {
        events.push({ type: "citation-delta", candidate, index, citation });
      }
    }
    const signature = delta.extra_content === undefined ? undefined : googleSignature(delta.extra_content);
    if (signature !== undefined) events.push({ type: "signature-delta", candidate, index, signature });
  };

  const pushContent = (content: unknown, events: StreamEvent[]) => {
    if (typeof content === "string") return pushText("text", content, events);
    for (const part of listOrEmpty(content).flatMap(decodeContentItem)) {
      if (part.type === "text" || part.type === "reasoning") pushText(part.type, part.text, events);
    }
  };

  /** Some servers list only new details, others repeat earlier ones, as clients keep only the newest list. */
  const sign = (details: unknown, events: StreamEvent[]) => {
    for (const { part } of decodeReasoningDetails(details)) {
      const { signature } = part;
      if (signature === undefined || signed.has(signature.value)) continue;
      signed.add(signature.value);
      if (openText?.type === "reasoning" && part.redacted !== true) {
        events.push({ type: "signature-delta", candidate, index: openText.index, signature });
        closeText(events);
      } else pushWholePart(part, events);
    }
  };

  const call = (delta: unknown, position: number, events: StreamEvent[]) => {
    if (!isObject(delta)) return;
    const key = typeof delta.index === "number" ? delta.index : position;
    const custom = delta.type === "custom" || isObject(delta.custom);
    const named = custom ? delta.custom : delta.function;
    const input = isObject(named) ? (stringOrNull(custom ? named.input : named.arguments) ?? "") : "";
    const known = calls.get(key);
    if (known === undefined) {
      const part = startedCall(delta, custom, named);
      const opened: OpenCall = { index: start(part, events), input: "", open: true };
      calls.set(key, opened);
      append(opened, input, events);
    } else {
      append(known, input, events);
      const signature = googleSignature(delta.extra_content);
      if (signature !== undefined && known.open) {
        events.push({ type: "signature-delta", candidate, index: known.index, signature });
      }
    }
  };

  const append = (target: OpenCall, input: string, events: StreamEvent[]) => {
    if (input === "") return;
    if (!target.open) {
      if (input.trim() === "") return;
      throw new AnswerFault("The provider's stream adds to the arguments of a tool call that were complete.");
    }
    target.input += input;
    events.push({ type: "input-delta", candidate, index: target.index, input });
  };

  const finish = (reason: unknown, events: StreamEvent[]) => {
    closeText(events);
    closeWholeCalls(events, true);
    finished = true;
    events.push({ type: "finish", candidate, finish: decodeFinishReason(reason, calls.size > 0) });
  };

  return {
    push(choice, events) {
      if (finished) return;
      const delta = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : {};
      pushText("reasoning", delta.reasoning_content ?? delta.reasoning, events);
      if (delta.reasoning_details !== undefined) sign(delta.reasoning_details, events);
      pushContent(delta.content, events);
      if (openText?.type === "text") addToText(openText.index, delta, events);
      if (delta.images !== undefined) {
        for (const part of listOrEmpty(delta.images).flatMap(decodeImage)) pushWholePart(part, events);
      }
      pushText("refusal", delta.refusal, events);
      if (delta.tool_calls !== undefined) {
        listOrEmpty(delta.tool_calls).forEach((item, position) => call(item, position, events));
      }
      const logprobs = decodeLogprobs(choice.logprobs);
      if (logprobs !== undefined) events.push({ type: "logprobs-delta", candidate, logprobs });

      const { finish_reason: reason } = choice;
      if (reason !== undefined && reason !== null && reason !== "") finish(reason, events);
    },
    end(events) {
      if (!finished) finish(undefined, events);
    },
    get finished() {
      return finished;
    },
  };
}

function startedCall(delta: JsonObject, custom: boolean, named: unknown): Part {
  return {
    type: "tool-call",
    kind: custom ? "custom" : "function",
    id: stringOrNull(delta.id) ?? "",
    name: isObject(named) ? (stringOrNull(named.name) ?? "") : "",
    input: "",
    signature: googleSignature(delta.extra_content),
  };
}

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

interface OpenCall {
  /** The part's index. */
  readonly index: number;
  input: string;
  open: boolean;
  /** Characters of the input that are known not to be whole JSON. */
  triedLength: number;
}

type TextType = "text" | "reasoning" | "refusal";

/**
 * Reads one choice of a stream: what its deltas say, part by part. Text, reasoning and refusals are one part until another
 * kind begins. Tool calls stay open until they hold whole JSON and another part begins, or the choice ends: some servers
 * interleave the arguments of parallel calls.
 */
export class ChoiceDecoder {
  finished = false;
  readonly #candidate: number;
  readonly #calls = new Map<number, OpenCall>();
  #openText: { readonly type: TextType; readonly index: number } | null = null;
  #partCount = 0;
  /** The signatures that have been passed on; null before the first. */
  #signed: Set<string> | null = null;

  constructor(candidate: number) {
    this.#candidate = candidate;
  }

  push(choice: JsonObject, events: StreamEvent[]): void {
    if (this.finished) return;
    const delta = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : noDelta;
    this.#pushText("reasoning", delta.reasoning_content ?? delta.reasoning, events);
    if (delta.reasoning_details !== undefined) this.#sign(delta.reasoning_details, events);
    this.#pushContent(delta.content, events);
    if (this.#openText?.type === "text") this.#addToText(this.#openText.index, delta, events);
    if (delta.images !== undefined) {
      for (const part of listOrEmpty(delta.images).flatMap(decodeImage)) this.#pushWholePart(part, events);
    }
    this.#pushText("refusal", delta.refusal, events);
    if (delta.tool_calls !== undefined) {
      listOrEmpty(delta.tool_calls).forEach((item, position) => this.#call(item, position, events));
    }
    const logprobs = decodeLogprobs(choice.logprobs);
    if (logprobs !== undefined) events.push({ type: "logprobs-delta", candidate: this.#candidate, logprobs });

    const { finish_reason: reason } = choice;
    if (reason !== undefined && reason !== null && reason !== "") this.#finish(reason, events);
  }

  /** The provider has ended the stream: an answer without a finish reason of its own is taken as it is. */
  end(events: StreamEvent[]): void {
    if (!this.finished) this.#finish(undefined, events);
  }

  #start(part: Part, events: StreamEvent[]): number {
    this.#closeText(events);
    this.#closeWholeCalls(events, false);
    const index = this.#partCount++;
    events.push({ type: "part-start", candidate: this.#candidate, index, part });
    return index;
  }

  #closeText(events: StreamEvent[]): void {
    const open = this.#openText;
    if (open !== null) events.push({ type: "part-end", candidate: this.#candidate, index: open.index });
    this.#openText = null;
  }

  #closeWholeCalls(events: StreamEvent[], all: boolean): void {
    for (const call of this.#calls.values()) {
      if (!call.open || (!all && !isWhole(call))) continue;
      call.open = false;
      events.push({ type: "part-end", candidate: this.#candidate, index: call.index });
    }
  }

  #pushText(type: TextType, text: unknown, events: StreamEvent[]): void {
    if (typeof text !== "string" || text === "") return;
    if (this.#openText?.type !== type) this.#openText = { type, index: this.#start({ type, text: "" }, events) };
    events.push({ type: "text-delta", candidate: this.#candidate, index: this.#openText.index, text });
  }

  #pushWholePart(part: Part, events: StreamEvent[]): void {
    const index = this.#start(part, events);
    events.push({ type: "part-end", candidate: this.#candidate, index });
  }

  /** Fields beside the content that belong to it. */
  #addToText(index: number, delta: JsonObject, events: StreamEvent[]): void {
    const candidate = this.#candidate;
    if (delta.annotations !== undefined) {
      for (const citation of decodeAnnotations(delta.annotations) ?? []) {
        events.push({ type: "citation-delta", candidate, index, citation });
      }
    }
    const signature = delta.extra_content === undefined ? undefined : googleSignature(delta.extra_content);
    if (signature !== undefined) events.push({ type: "signature-delta", candidate, index, signature });
  }

  #pushContent(content: unknown, events: StreamEvent[]): void {
    if (typeof content === "string") {
      this.#pushText("text", content, events);
      return;
    }
    for (const part of listOrEmpty(content).flatMap(decodeContentItem)) {
      if (part.type === "text" || part.type === "reasoning") this.#pushText(part.type, part.text, events);
    }
  }

  /** Some servers list only new details, others repeat earlier ones, as clients keep only the newest list. */
  #sign(details: unknown, events: StreamEvent[]): void {
    for (const { part } of decodeReasoningDetails(details)) {
      const { signature } = part;
      this.#signed ??= new Set();
      if (signature === undefined || this.#signed.has(signature.value)) continue;
      this.#signed.add(signature.value);
      const open = this.#openText;
      if (open?.type === "reasoning" && part.redacted !== true) {
        events.push({ type: "signature-delta", candidate: this.#candidate, index: open.index, signature });
        this.#closeText(events);
      } else this.#pushWholePart(part, events);
    }
  }

  #call(delta: unknown, position: number, events: StreamEvent[]): void {
    if (!isObject(delta)) return;
    const key = typeof delta.index === "number" ? delta.index : position;
    const custom = delta.type === "custom" || isObject(delta.custom);
    const named = custom ? delta.custom : delta.function;
    const input = isObject(named) ? (stringOrNull(custom ? named.input : named.arguments) ?? "") : "";
    const known = this.#calls.get(key);
    if (known === undefined) {
      const part = startedCall(delta, custom, named);
      const opened: OpenCall = { index: this.#start(part, events), input: "", open: true, triedLength: 0 };
      this.#calls.set(key, opened);
      this.#append(opened, input, events);
    } else {
      this.#append(known, input, events);
      const signature = googleSignature(delta.extra_content);
      if (signature !== undefined && known.open) {
        events.push({ type: "signature-delta", candidate: this.#candidate, index: known.index, signature });
      }
    }
  }

  #append(target: OpenCall, input: string, events: StreamEvent[]): void {
    if (input === "") return;
    if (!target.open) {
      if (input.trim() === "") return;
      throw new AnswerFault("The provider's stream adds to the arguments of a tool call that were complete.");
    }
    target.input += input;
    events.push({ type: "input-delta", candidate: this.#candidate, index: target.index, input });
  }

  #finish(reason: unknown, events: StreamEvent[]): void {
    this.#closeText(events);
    this.#closeWholeCalls(events, true);
    this.finished = true;
    const finish = decodeFinishReason(reason, this.#calls.size > 0);
    events.push({ type: "finish", candidate: this.#candidate, finish });
  }
}

/** Whether a call holds whole JSON. The same text is not parsed twice: each new part of an answer asks of all open calls. */
function isWhole(call: OpenCall): boolean {
  if (call.input.length === call.triedLength) return false;
  call.triedLength = call.input.length;
  return parseToolInput(call.input) !== null;
}

const noDelta: JsonObject = {};

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

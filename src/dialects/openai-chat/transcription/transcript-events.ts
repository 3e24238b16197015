import type { ReportedUsage } from "../../../conversation/usage.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import { readFields, type SseEvent } from "../../../sse/event.ts";
import { checkStructure } from "../../exchanges/bounded-json.ts";
import { type EventStream, framedStream } from "../../exchanges/event-reader.ts";
import { TextSample } from "../../exchanges/text-sample.ts";
import { AnswerFault, type AnswerStream, type Observation } from "../../exchange.ts";
import { deltaEvent, doneEvent, transcriptStreamForm } from "../../transcript/transcript-stream.ts";
import { readError } from "../errors.ts";
import { readTranscriptUsage } from "./read-transcript.ts";

/**
 * Passes on `transcript.text.*` events as they come, and holds `transcript.text.done` until the record is durable. Servers that
 * stream the text in a form of their own (`{"text"}`, or vLLM's chunks) are put into OpenAI's.
 */
export function openTranscriptEvents(): AnswerStream {
  return framedStream(new TranscriptEvents());
}

/** What such servers have sent is kept, for their last event: no more than this, in characters. */
const maxOwnText = 4 << 20;

class TranscriptEvents implements EventStream, Observation {
  readonly #sample = new TextSample();
  #done: Uint8Array | null = null;
  /** The text of a server without OpenAI's events; null if it has them. */
  #ownText: string | null = null;
  readonly contentType = transcriptStreamForm.contentType;
  readonly keepAlive = transcriptStreamForm.keepAlive;
  readonly fail = transcriptStreamForm.fail;
  readonly responseId = null;
  readonly observation: Observation = this;
  usage: ReportedUsage | null = null;
  started = false;
  finished = false;

  get producedLength(): number {
    return this.#sample.length;
  }

  producedText(): string {
    return this.#sample.text();
  }

  push({ bytes }: SseEvent): Uint8Array | null {
    checkStructure(bytes);
    const { event, data } = readFields({ bytes });
    if (data === null) return bytes;
    if (data === "[DONE]") {
      this.#finish();
      return null;
    }
    const read = parse(data);
    const error = event === "error" || read.error !== undefined ? readError(read) : null;
    if (error !== null || event === "error") throw new AnswerFault("The provider reported an error.", error);
    if (typeof read.type !== "string") return this.#translate(read);
    if (read.type === "transcript.text.done") {
      if (typeof read.text !== "string") throw new AnswerFault("The last event of the provider has no text.");
      this.usage = readTranscriptUsage(read.usage);
      if (this.#sample.length === 0) this.#sample.add(read.text);
      this.#done = bytes;
      this.started = this.finished = true;
      return null;
    }
    if (read.type === "transcript.text.delta") this.#add(read.delta);
    this.started = true;
    return bytes;
  }

  end(): null {
    if (!this.finished && this.#ownText !== null) this.#finish();
    if (!this.finished) throw new AnswerFault("The provider's stream ended without 'transcript.text.done'.");
    return null;
  }

  terminator(): Uint8Array | null {
    return this.#done;
  }

  #add(delta: unknown): string {
    if (typeof delta !== "string") throw new AnswerFault("An event of the provider has no text.");
    this.#sample.add(delta);
    return delta;
  }

  /** `{"text"}` of some servers, and vLLM's `{"choices":[{"delta":{"content"}}]}`. */
  #translate(read: JsonObject): Uint8Array | null {
    this.usage = readTranscriptUsage(read.usage) ?? this.usage;
    const [choice] = Array.isArray(read.choices) ? (read.choices as readonly unknown[]) : [];
    const delta = isObject(choice) && isObject(choice.delta) ? choice.delta.content : read.text;
    this.#ownText ??= "";
    if (delta === undefined || delta === null || delta === "") return null;
    const text = this.#add(delta);
    this.#ownText += text;
    if (this.#ownText.length > maxOwnText) throw new AnswerFault("The provider's transcript is too long.");
    this.started = true;
    return deltaEvent(text);
  }

  #finish(): void {
    if (this.#ownText === null) throw new AnswerFault("The provider's stream ended without 'transcript.text.done'.");
    this.#done = doneEvent(this.#ownText, this.usage && this.usage.raw);
    this.started = this.finished = true;
  }
}

function parse(data: string): JsonObject {
  let read: unknown;
  try {
    read = JSON.parse(data);
  } catch {
    throw new AnswerFault("An event of the provider is not valid JSON.");
  }
  if (!isObject(read)) throw new AnswerFault("An event of the provider is not an object.");
  return read;
}

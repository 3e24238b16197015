import type { ReportedUsage } from "../../../conversation/usage.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import type { SseEvent } from "../../../sse/event.ts";
import { type EventStream, framedStream } from "../../exchanges/event-reader.ts";
import { TextSample } from "../../exchanges/text-sample.ts";
import { AnswerFault, type AnswerStream, type Observation } from "../../exchange.ts";
import { deltaEvent, doneEvent, transcriptStreamForm } from "../../transcript/transcript-stream.ts";
import { shownUsage } from "../../transcript/write-transcript.ts";
import { type KnownShape, knownEvent, readMediaEvent } from "../media-event.ts";
import { readTranscriptUsage } from "./read-transcript.ts";

/**
 * Passes on `transcript.text.*` events as they come, and holds `transcript.text.done` until the record is durable. Servers that
 * stream the text in a form of their own (`{"text"}`, or vLLM's chunks) are put into OpenAI's.
 * @param isHidden events and fields that OpenAI does not have are left out, and so are comments: they may tell the provider
 */
export function openTranscriptEvents(isHidden: boolean): AnswerStream {
  return framedStream(new TranscriptEvents(isHidden));
}

const logprobs: KnownShape = [{ token: "string", logprob: "number", bytes: ["number"] }];

/** OpenAI's events. */
const shapes: Readonly<Record<string, KnownShape>> = {
  "transcript.text.delta": { type: "string", delta: "string", logprobs, segment_id: "string" },
  "transcript.text.segment": {
    type: "string",
    id: "string",
    start: "number",
    end: "number",
    text: "string",
    speaker: "string",
  },
  "transcript.text.done": {
    type: "string",
    text: "string",
    languages: [{ code: "string" }],
    logprobs,
    usage: {
      type: "string",
      seconds: "number",
      input_tokens: "number",
      input_token_details: { text_tokens: "number", audio_tokens: "number" },
      output_tokens: "number",
      total_tokens: "number",
    },
  },
};

/** What such servers have sent is kept, for their last event: no more than this, in characters. */
const maxOwnText = 4 << 20;

class TranscriptEvents implements EventStream, Observation {
  readonly #sample = new TextSample();
  readonly #isHidden: boolean;
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

  constructor(isHidden: boolean) {
    this.#isHidden = isHidden;
  }

  get producedLength(): number {
    return this.#sample.length;
  }

  producedText(): string {
    return this.#sample.text();
  }

  push({ bytes }: SseEvent): Uint8Array | null {
    const read = readMediaEvent({ bytes });
    if (read === "comment") return this.#isHidden ? null : bytes;
    if (read === "done") {
      this.#finish();
      return null;
    }
    if (typeof read.type !== "string") return this.#translate(read);
    if (read.type === "transcript.text.done") {
      if (typeof read.text !== "string") throw new AnswerFault("The last event of the provider has no text.");
      this.usage = readTranscriptUsage(read.usage);
      if (this.#sample.length === 0) this.#sample.add(read.text);
      this.#done = this.#isHidden ? knownEvent(read, shapes) : bytes;
      this.started = this.finished = true;
      return null;
    }
    if (read.type === "transcript.text.delta") this.#add(read.delta);
    this.started = true;
    return this.#isHidden ? knownEvent(read, shapes) : bytes;
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
    const { usage } = this;
    this.#done = doneEvent(this.#ownText, usage && (this.#isHidden ? shownUsage(usage) : usage.raw));
    this.started = this.finished = true;
  }
}

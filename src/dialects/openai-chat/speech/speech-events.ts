import type { ReportedUsage } from "../../../conversation/usage.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import { dataEvent, readFields, type SseEvent, sseComment, sseContentType } from "../../../sse/event.ts";
import { checkStructure } from "../../exchanges/bounded-json.ts";
import { type EventStream, framedStream } from "../../exchanges/event-reader.ts";
import { AnswerFault, type AnswerStream, type Observation } from "../../exchange.ts";
import { readCount } from "../../fields/read-count.ts";
import { failSpeechEvents } from "../../sound/speech-events.ts";
import { SoundStream } from "../../sound/sound-stream.ts";
import type { SoundName } from "../../sound/sound-type.ts";
import { readError } from "../errors.ts";

/**
 * Passes on `speech.audio.delta` events as they come, and holds `speech.audio.done` until the record is durable. The sound
 * in them is read as that of bytes is.
 * @param isHidden events and fields that OpenAI does not have are left out, and so are comments: they may tell the provider
 */
export function openSpeechEvents(assumed: SoundName, isHidden: boolean): AnswerStream {
  return framedStream(new SpeechEvents(assumed, isHidden));
}

class SpeechEvents implements EventStream, Observation {
  readonly #sound: SoundStream;
  readonly #isHidden: boolean;
  #done: Uint8Array | null = null;
  readonly contentType = sseContentType;
  readonly keepAlive = sseComment;
  readonly responseId = null;
  readonly observation: Observation = this;
  readonly fail = failSpeechEvents;
  usage: ReportedUsage | null = null;
  started = false;
  finished = false;

  constructor(assumed: SoundName, isHidden: boolean) {
    this.#sound = new SoundStream(assumed);
    this.#isHidden = isHidden;
  }

  get soundSeconds(): number | null {
    return this.#sound.soundSeconds;
  }

  producedText(): string {
    return "";
  }

  push({ bytes }: SseEvent): Uint8Array | null {
    checkStructure(bytes);
    const { event, data } = readFields({ bytes });
    if (data === null) return this.#isHidden ? null : bytes;
    if (data === "[DONE]") {
      this.#finish(null);
      return null;
    }
    const read = parse(data);
    const error = event === "error" || read.error !== undefined ? readError(read) : null;
    if (error !== null || event === "error") throw new AnswerFault("The provider reported an error.", error);
    if (read.type === "speech.audio.done") {
      this.usage = readSpeechUsage(read.usage);
      this.#finish(this.#isHidden ? knownOf(read) : bytes);
      return null;
    }
    if (read.type === "speech.audio.delta") this.#hear(read.audio);
    return this.#isHidden ? knownOf(read) : bytes;
  }

  end(): null {
    if (!this.finished) throw new AnswerFault("The provider's stream ended without 'speech.audio.done'.");
    return null;
  }

  terminator(): Uint8Array | null {
    return this.#done;
  }

  #hear(audio: unknown): void {
    if (typeof audio !== "string") throw new AnswerFault("An event of the provider has no sound.");
    const sound = Buffer.from(audio, "base64");
    this.#sound.push(sound);
    if (this.#sound.fault !== null) throw this.#sound.fault;
    this.started ||= sound.length > 0;
  }

  #finish(done: Uint8Array | null): void {
    this.#sound.end();
    if (this.#sound.fault !== null) throw this.#sound.fault;
    if (!this.started) throw new AnswerFault("The provider's stream ended without sound.");
    this.#done = done;
    this.finished = true;
  }
}

function parse(data: string): Readonly<Record<string, unknown>> {
  let read: unknown;
  try {
    read = JSON.parse(data);
  } catch {
    throw new AnswerFault("An event of the provider is not valid JSON.");
  }
  if (!isObject(read)) throw new AnswerFault("An event of the provider is not an object.");
  return read;
}

/** An event with the fields that OpenAI's have; null if OpenAI has none of its type. */
function knownOf({ type, audio, usage }: JsonObject): Uint8Array | null {
  if (type === "speech.audio.delta") return dataEvent(JSON.stringify({ type, audio }));
  if (type !== "speech.audio.done") return null;
  return dataEvent(JSON.stringify({ type, ...(isObject(usage) && { usage: knownUsage(usage) }) }));
}

function knownUsage(usage: JsonObject): JsonObject {
  const names = ["input_tokens", "output_tokens", "total_tokens"] as const;
  const counts = names.map((name) => [name, readCount(usage[name])] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== null));
}

/** Reads `{input_tokens, output_tokens}`: what is written is sound. Null if it is no object. */
function readSpeechUsage(raw: unknown): ReportedUsage | null {
  if (!isObject(raw)) return null;
  const input = readCount(raw.input_tokens);
  const output = readCount(raw.output_tokens);
  return {
    quantities: { ...(input !== null && { input }), ...(output !== null && { output }) },
    input: input === null ? "none" : "final",
    output: output === null ? "none" : "final",
    reasoning: null,
    raw,
  };
}

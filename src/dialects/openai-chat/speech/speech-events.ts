import type { ReportedUsage } from "../../../conversation/usage.ts";
import { isObject } from "../../../json/values.ts";
import { readFields, type SseEvent, sseComment, sseContentType } from "../../../sse/event.ts";
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
 */
export function openSpeechEvents(assumed: SoundName): AnswerStream {
  return framedStream(new SpeechEvents(assumed));
}

class SpeechEvents implements EventStream, Observation {
  readonly #sound: SoundStream;
  #done: Uint8Array | null = null;
  readonly contentType = sseContentType;
  readonly keepAlive = sseComment;
  readonly responseId = null;
  readonly observation: Observation = this;
  readonly fail = failSpeechEvents;
  usage: ReportedUsage | null = null;
  started = false;
  finished = false;

  constructor(assumed: SoundName) {
    this.#sound = new SoundStream(assumed);
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
    if (data === null) return bytes;
    if (data === "[DONE]") {
      this.#finish(null);
      return null;
    }
    const read = parse(data);
    const error = event === "error" || read.error !== undefined ? readError(read) : null;
    if (error !== null || event === "error") throw new AnswerFault("The provider reported an error.", error);
    if (read.type === "speech.audio.done") {
      this.usage = readSpeechUsage(read.usage);
      this.#finish(bytes);
      return null;
    }
    if (read.type === "speech.audio.delta") this.#hear(read.audio);
    return bytes;
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

import type { ReportedUsage } from "../../../conversation/usage.ts";
import { isObject } from "../../../json/values.ts";
import { type SseEvent, sseComment, sseContentType } from "../../../sse/event.ts";
import { type EventStream, framedStream } from "../../exchanges/event-reader.ts";
import { AnswerFault, type AnswerStream, type Observation } from "../../exchange.ts";
import { readCount } from "../../fields/read-count.ts";
import { failSpeechEvents } from "../../sound/speech-events.ts";
import { SoundStream } from "../../sound/sound-stream.ts";
import type { SoundName } from "../../sound/sound-type.ts";
import { type KnownShape, knownEvent, readMediaEvent } from "../media-event.ts";

/** OpenAI's events. */
const shapes: Readonly<Record<string, KnownShape>> = {
  "speech.audio.delta": { type: "string", audio: "string" },
  "speech.audio.done": {
    type: "string",
    usage: { input_tokens: "number", output_tokens: "number", total_tokens: "number" },
  },
};

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
    const read = readMediaEvent({ bytes });
    if (read === "comment") return this.#isHidden ? null : bytes;
    if (read === "done") {
      this.#finish(null);
      return null;
    }
    if (read.type === "speech.audio.done") {
      this.usage = readSpeechUsage(read.usage);
      this.#finish(this.#isHidden ? knownEvent(read, shapes) : bytes);
      return null;
    }
    if (read.type === "speech.audio.delta") this.#hear(read.audio);
    return this.#isHidden ? knownEvent(read, shapes) : bytes;
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

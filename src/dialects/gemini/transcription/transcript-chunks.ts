import { laterUsage, type ReportedUsage } from "../../../conversation/usage.ts";
import { readFields, type SseEvent } from "../../../sse/event.ts";
import { checkStructure } from "../../exchanges/bounded-json.ts";
import { type EventStream, framedStream } from "../../exchanges/event-reader.ts";
import { AnswerFault, type AnswerStream, type Observation } from "../../exchange.ts";
import { deltaEvent, doneEvent, transcriptStreamForm } from "../../transcript/transcript-stream.ts";
import { shownUsage } from "../../transcript/write-transcript.ts";
import { readChunk } from "./decode-transcript.ts";

/** Google's stream of text as events of a transcript. */
export function openTranscriptChunks(): AnswerStream {
  return framedStream(new TranscriptChunks());
}

/** No transcript of what Google takes at once is longer, in characters. */
const maxText = 4 << 20;

class TranscriptChunks implements EventStream, Observation {
  #text = "";
  #hasEnded = false;
  readonly contentType = transcriptStreamForm.contentType;
  readonly keepAlive = transcriptStreamForm.keepAlive;
  readonly fail = transcriptStreamForm.fail;
  readonly responseId = null;
  readonly observation: Observation = this;
  /** The end of the connection is the end of a stream: usage may follow the last text. */
  readonly finished = false;
  usage: ReportedUsage | null = null;
  started = false;

  producedText(): string {
    return this.#text;
  }

  push({ bytes }: SseEvent): Uint8Array | null {
    checkStructure(bytes);
    const { data } = readFields({ bytes });
    if (data === null) return null;
    const { text, hasEnded, usage } = readChunk(parse(data));
    this.usage = laterUsage(this.usage, usage);
    this.#hasEnded ||= hasEnded;
    this.started = true;
    if (text === null || text === "") return null;
    this.#text += text;
    if (this.#text.length > maxText) throw new AnswerFault("The provider's transcript is too long.");
    return deltaEvent(text);
  }

  end(): null {
    if (!this.#hasEnded) throw new AnswerFault("The provider's stream ended before its last chunk.");
    return null;
  }

  terminator(): Uint8Array {
    return doneEvent(this.#text, this.usage && shownUsage(this.usage));
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new AnswerFault("A chunk of the provider is not valid JSON.");
  }
}

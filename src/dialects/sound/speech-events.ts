import type { ReportedUsage } from "../../conversation/usage.ts";
import { sumOf } from "../../dimensions.ts";
import { errorEnvelope, type GatewayError } from "../../errors.ts";
import { dataEvent, sseComment, sseContentType } from "../../sse/event.ts";
import type { AnswerStream } from "../exchange.ts";
import { joined } from "../exchanges/event-reader.ts";

/** Bytes of sound in one event: a multiple of 3, so that no event but the last of an answer is padded. */
const maxDeltaBytes = 48 << 10;

/** How a stream of speech events tells that it has broken off. */
export function failSpeechEvents(error: GatewayError, requestId: string): Uint8Array {
  return dataEvent(JSON.stringify(errorEnvelope(error, requestId)));
}

/** Sound as OpenAI's events (`stream_format: sse`), for providers that answer with bytes. */
export function asSpeechEvents(sound: AnswerStream): AnswerStream {
  return {
    contentType: sseContentType,
    keepAlive: sseComment,
    get fault() {
      return sound.fault;
    },
    get started() {
      return sound.started;
    },
    finished: false,
    observation: sound.observation,
    push: (piece) => deltas(sound.push(piece)),
    end: () => deltas(sound.end()),
    terminator: () => doneEvent(sound.observation.usage),
    fail: failSpeechEvents,
  };
}

function deltas(bytes: Uint8Array | null): Uint8Array | null {
  if (bytes === null) return null;
  const events: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += maxDeltaBytes) {
    const audio = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(maxDeltaBytes, bytes.length - at));
    events.push(dataEvent(`{"type":"speech.audio.delta","audio":"${audio.toString("base64")}"}`));
  }
  return joined(events);
}

/** A provider that does not count tokens has used none. */
function doneEvent(usage: ReportedUsage | null): Uint8Array {
  const input = usage ? sumOf(usage.quantities, "token", "input") : 0;
  const output = usage ? sumOf(usage.quantities, "token", "output") : 0;
  const counts = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return dataEvent(JSON.stringify({ type: "speech.audio.done", usage: counts }));
}

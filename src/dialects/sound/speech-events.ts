import type { ReportedUsage } from "../../conversation/usage.ts";
import { sumOf } from "../../dimensions.ts";
import { errorEnvelope, type GatewayError } from "../../errors.ts";
import { nextTurn } from "../../next-turn.ts";
import { dataEvent, sseComment, sseContentType } from "../../sse/event.ts";
import type { AnswerStream } from "../exchange.ts";
import { joined } from "../exchanges/event-reader.ts";
import { joinedInSteps } from "../pictures/write-answer.ts";

/** Bytes of sound in one event: a multiple of 3, so that no event but the last of an answer is padded. */
const maxDeltaBytes = 48 << 10;
/** Bytes of sound that become events in one turn of the event loop: whole events. */
const stepBytes = 16 * maxDeltaBytes;

/** How a stream of speech events tells that it has broken off. */
export function failSpeechEvents(error: GatewayError, requestId: string): Uint8Array {
  return dataEvent(JSON.stringify(errorEnvelope(error, requestId)));
}

/** Sound as OpenAI's events (`stream_format: sse`), for providers that answer with bytes. */
export function asSpeechEvents(sound: AnswerStream): AnswerStream {
  const { endInSteps } = sound;
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
    ...(endInSteps && { endInSteps: async () => deltasInSteps(await endInSteps()) }),
    terminator: () => doneEvent(sound.observation.usage),
    fail: failSpeechEvents,
  };
}

function deltas(bytes: Uint8Array | null): Uint8Array | null {
  return bytes === null ? null : joined(deltaEvents(bytes));
}

/** The same for much sound. */
async function deltasInSteps(bytes: Uint8Array | null): Promise<Uint8Array | null> {
  if (bytes === null) return null;
  const events: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += stepBytes) {
    if (at > 0) await nextTurn();
    events.push(...deltaEvents(bytes.subarray(at, at + stepBytes)));
  }
  return joinedInSteps(events);
}

function deltaEvents(bytes: Uint8Array): Uint8Array[] {
  const events: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += maxDeltaBytes) {
    const audio = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(maxDeltaBytes, bytes.length - at));
    events.push(deltaEvent(audio.toString("base64")));
  }
  return events;
}

const deltaStart = Buffer.from('data: {"type":"speech.audio.delta","audio":"');
const deltaEnd = Buffer.from('"}\n\n');

/** Put together from bytes: base64 needs no escapes. */
function deltaEvent(base64: string): Uint8Array {
  const event = Buffer.allocUnsafe(deltaStart.length + base64.length + deltaEnd.length);
  deltaStart.copy(event);
  event.write(base64, deltaStart.length, "latin1");
  deltaEnd.copy(event, deltaStart.length + base64.length);
  return event;
}

/** A provider that does not count tokens has used none. */
function doneEvent(usage: ReportedUsage | null): Uint8Array {
  const input = usage ? sumOf(usage.quantities, "token", "input") : 0;
  const output = usage ? sumOf(usage.quantities, "token", "output") : 0;
  const counts = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return dataEvent(JSON.stringify({ type: "speech.audio.done", usage: counts }));
}

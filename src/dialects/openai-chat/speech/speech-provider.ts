import { carried } from "../../../conversation/fields/support.ts";
import { withMembers } from "../../../json/top-level.ts";
import type { SpeechCapabilities, SpeechProvider } from "../../../operations/speech/speech.ts";
import type { AnswerHead, AnswerStream, DialectName } from "../../exchange.ts";
import { soundAnswer, soundExchange, soundNameOf } from "../../sound/sound-exchange.ts";
import { SoundStream } from "../../sound/sound-stream.ts";
import type { SoundName } from "../../sound/sound-type.ts";
import { readError } from "../errors.ts";
import { openSpeechEvents } from "./speech-events.ts";

const capabilities: SpeechCapabilities = {
  formats: { mp3: carried, opus: carried, aac: carried, flac: carried, wav: carried, pcm: carried },
  ownVoice: carried,
  instructions: carried,
  speed: carried,
  speedRange: { min: 0.25, max: 4 },
  events: carried,
  otherFields: carried,
  maxCharacters: null,
};

/** Puts a request to a provider of the same shape: the body goes up as it was written, save the model's name. */
export function speechProvider(dialect: DialectName): SpeechProvider {
  return {
    capabilities,
    exchange: (request, model, isHidden) =>
      soundExchange({
        request: {
          dialect,
          method: "POST",
          path: "/audio/speech",
          headers: { "content-type": "application/json" },
          body: withMembers(request.text, request.members, { model: JSON.stringify(model) }),
        },
        warnings: [],
        readError,
        open: (head) => openAnswer(head, soundNameOf(request.format ?? "mp3"), request.stream, isHidden),
      }),
  };
}

/** A server that knows no events answers with bytes all the same. */
function openAnswer(head: AnswerHead, assumed: SoundName, asEvents: boolean, isHidden: boolean): AnswerStream {
  const isEvents = head.header("content-type")?.startsWith("text/event-stream") === true;
  return asEvents && isEvents ? openSpeechEvents(assumed, isHidden) : soundAnswer(new SoundStream(assumed), asEvents);
}

import type { Call, Frame } from "../dialect.ts";
import { promptOfTexts } from "../prompt.ts";
import { Refusal, type Failure } from "../refusal.ts";
import { findDirectiveText } from "../script/directive-text.ts";
import type { Script } from "../script/script.ts";
import { type SoundFormat, writeSound } from "./write-sound.ts";

/** A request for speech that a vendor takes. */
export interface SpeechAsked {
  readonly model: string;
  readonly text: string;
  readonly format: SoundFormat;
  readonly speed?: number | undefined;
  readonly directives?: unknown;
  /** The content type in the vendor's own words, if they are others. */
  readonly contentType?: string;
  /** The events of the answer, if they were asked for. */
  readonly writeStream?: (script: Script) => Iterable<Frame>;
  readonly errorFrame?: (failure: Failure) => Frame;
}

/** A call that is answered with sound. Directives within the text are not spoken. */
export function speechCall(asked: SpeechAsked): Call {
  const { model, text, format, speed, contentType, writeStream } = asked;
  const noStream = () => {
    throw new Refusal(400, "This vendor has no events.");
  };
  return {
    prompt: promptOfTexts(model, [text]),
    stream: writeStream !== undefined,
    directives: asked.directives,
    check() {},
    writeJson: () => "{}",
    writeSound() {
      const sound = writeSound(spokenText(text), format, speed);
      return contentType === undefined ? sound : { ...sound, contentType };
    },
    streamContentType: "text/event-stream",
    writeStream: (_reply, script) => (writeStream ?? noStream)(script),
    errorFrame: asked.errorFrame ?? ((failure) => ({ data: JSON.stringify(failure) })),
  };
}

/** A text without its directive. */
export function spokenText(text: string): string {
  return findDirectiveText(text)?.remainingText ?? text;
}

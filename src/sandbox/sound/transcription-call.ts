import type { Call, Frame } from "../dialect.ts";
import { promptOfTexts } from "../prompt.ts";
import { type Failure, Refusal } from "../refusal.ts";
import { findDirectiveText } from "../script/directive-text.ts";
import type { Script } from "../script/script.ts";
import { hear, type Heard } from "./hear.ts";

/** A request for a transcript that a vendor takes. */
export interface TranscriptionAsked {
  readonly model: string;
  readonly sound: Uint8Array;
  /** A text of the caller, in which a directive may stand as well as in the sound. */
  readonly prompt?: string;
  readonly directives?: unknown;
  /** If the answer is no JSON. */
  readonly contentType?: string;
  readonly write: (heard: Heard, script: Script) => string;
  /** The events of the answer, if they were asked for. */
  readonly writeStream?: (heard: Heard, script: Script) => Iterable<Frame>;
  readonly errorFrame?: (failure: Failure) => Frame;
}

/** A call that is answered with what was heard. Directives that were spoken, or stand in the prompt, are obeyed and not written. */
export function transcriptionCall(asked: TranscriptionAsked): Call {
  const { model, sound, prompt = "", contentType, write, writeStream } = asked;
  const heard = hear(sound);
  const said = findDirectiveText(heard.text);
  const written = said === null ? heard : withoutDirective(heard, said.remainingText);
  return {
    prompt: promptOfTexts(model, [said === null ? prompt : heard.text]),
    stream: writeStream !== undefined,
    directives: asked.directives,
    check() {},
    writeJson: (_reply, script) => write(withText(written, script), script),
    ...(contentType !== undefined && { contentType }),
    streamContentType: "text/event-stream",
    writeStream(_reply, script) {
      if (writeStream === undefined) throw new Refusal(400, "This vendor has no events.");
      return writeStream(withText(written, script), script);
    },
    errorFrame: asked.errorFrame ?? ((failure) => ({ data: JSON.stringify(failure) })),
  };
}

/** A script may say another text than what was heard. */
function withText(heard: Heard, { text }: Script): Heard {
  return text === undefined ? heard : withoutDirective(heard, text);
}

/** The first words of a text that is as many, at the times at which they were said. */
function withoutDirective(heard: Heard, text: string): Heard {
  const texts = text.split(/\s+/).filter((word) => word !== "");
  const words = texts.map((word, index) => ({ ...timeOf(heard, index), text: word }));
  return { ...heard, text: texts.join(" "), words };
}

function timeOf({ words, seconds }: Heard, index: number) {
  const { start, end } = words[index] ?? { start: seconds, end: seconds };
  return { start, end };
}

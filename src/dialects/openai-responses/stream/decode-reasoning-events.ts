import { stringOrNull } from "../../../json/values.ts";
import type { OpenPart, PartEmitter } from "./part-emitter.ts";
import { decodeReasoningItem, summarySeparator } from "../answer/reasoning.ts";
import type { ItemDecoder } from "./item-decoder.ts";

/** A reasoning item has two texts, each in several pieces. */
type Source = "summary" | "content";

interface Place {
  readonly source: Source;
  readonly index: number;
  sentLength: number;
}

/** Reads reasoning. The text that comes first is read: a model that shows its own reasoning need not be summed up. */
export function openReasoningDecoder(id: string | undefined, emitter: PartEmitter): ItemDecoder {
  let part: OpenPart | null = null;
  let place: Place | null = null;

  const pushText = (source: Source, index: number, textAfter: (sentLength: number) => string) => {
    if (place !== null && place.source !== source) return;
    const current: Place = place?.index === index ? place : { source, index, sentLength: 0 };
    const text = textAfter(current.sentLength);
    if (text === "") return;
    part ??= emitter.start({ type: "reasoning", text: "", id });
    if (place !== null && place !== current) emitter.append(part, summarySeparator);
    emitter.append(part, text);
    current.sentLength += text.length;
    place = current;
  };

  return {
    push(event) {
      const summaryIndex = typeof event.summary_index === "number" ? event.summary_index : 0;
      const contentIndex = typeof event.content_index === "number" ? event.content_index : 0;
      const delta = () => stringOrNull(event.delta) ?? "";
      const rest = (sentLength: number) => (stringOrNull(event.text) ?? "").slice(sentLength);
      if (event.type === "response.reasoning_summary_text.delta") pushText("summary", summaryIndex, delta);
      else if (event.type === "response.reasoning_summary_text.done") pushText("summary", summaryIndex, rest);
      else if (event.type === "response.reasoning_text.delta") pushText("content", contentIndex, delta);
      else if (event.type === "response.reasoning_text.done") pushText("content", contentIndex, rest);
    },
    finish(item) {
      const whole = decodeReasoningItem(item);
      if (whole !== null) {
        if (part === null) part = emitter.start(whole);
        else {
          emitter.append(part, whole.text.slice(part.sentLength));
          emitter.sign(part, whole.signature);
        }
      }
      this.close();
    },
    close() {
      if (part !== null) emitter.end(part);
    },
  };
}

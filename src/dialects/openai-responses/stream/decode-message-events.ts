import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";
import { decodeAnnotation } from "../answer/annotations.ts";
import { decodeTextContent } from "../answer/decode-output.ts";
import { decodeTokenLogprobs } from "../../fields/openai-logprobs.ts";
import type { OpenPart, PartEmitter } from "./part-emitter.ts";
import { readSignatureFields } from "../signatures.ts";
import type { ItemDecoder } from "./item-decoder.ts";

/** A content of the message, with the number of its annotations and log probabilities reported so far. */
interface OpenContent {
  readonly part: OpenPart;
  citations: number;
  logprobs: number;
}

/** Reads a message: each of its contents is a part. */
export function openMessageDecoder(phase: string | undefined, emitter: PartEmitter): ItemDecoder {
  const contents = new Map<number, OpenContent>();

  const contentAt = (index: number, type: "text" | "refusal"): OpenContent => {
    const known = contents.get(index);
    if (known !== undefined) return known;
    const part = emitter.start(type === "text" ? { type, text: "", phase } : { type, text: "" });
    const opened: OpenContent = { part, citations: 0, logprobs: 0 };
    contents.set(index, opened);
    return opened;
  };

  const reportLogprobs = (content: OpenContent, value: unknown, reported: number) => {
    const logprobs = decodeTokenLogprobs(value).slice(reported);
    content.logprobs += logprobs.length;
    emitter.logprobs(logprobs);
  };

  const cite = (content: OpenContent, annotation: JsonObject) => {
    content.citations += 1;
    emitter.cite(content.part, decodeAnnotation(annotation));
  };

  const finishContent = (index: number, content: JsonObject) => {
    const [whole] = decodeTextContent(content, {});
    if (whole === undefined) return;
    const known = contentAt(index, whole.type);
    if (!known.part.open) return;
    reportLogprobs(known, content.logprobs, known.logprobs);
    emitter.append(known.part, whole.text.slice(known.part.sentLength));
    for (const annotation of listOrEmpty(content.annotations).filter(isObject).slice(known.citations)) {
      cite(known, annotation);
    }
    emitter.sign(known.part, readSignatureFields(content.extra_content));
    emitter.end(known.part);
  };

  return {
    push(event) {
      const index = typeof event.content_index === "number" ? event.content_index : 0;
      const delta = stringOrNull(event.delta) ?? "";
      if (event.type === "response.output_text.delta" && delta !== "") {
        const content = contentAt(index, "text");
        reportLogprobs(content, event.logprobs, 0);
        emitter.append(content.part, delta);
      } else if (event.type === "response.refusal.delta" && delta !== "") {
        emitter.append(contentAt(index, "refusal").part, delta);
      } else if (event.type === "response.output_text.annotation.added") {
        const content = contents.get(index);
        if (content !== undefined && isObject(event.annotation)) cite(content, event.annotation);
      } else if (event.type === "response.content_part.done" && isObject(event.part)) {
        finishContent(index, event.part);
      }
    },
    finish(item) {
      listOrEmpty(item.content).forEach((content, index) => {
        if (isObject(content)) finishContent(index, content);
      });
      this.close();
    },
    close() {
      for (const { part } of contents.values()) emitter.end(part);
    },
  };
}

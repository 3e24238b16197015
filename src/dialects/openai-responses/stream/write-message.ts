import type { Citation, Part } from "../../../conversation/parts.ts";
import type { TokenLogprob } from "../../../conversation/response.ts";
import type { JsonObject } from "../../../json/values.ts";
import { encodeAnnotation } from "../answer/annotations.ts";
import type { EventWriter } from "./event-writer.ts";
import type { ItemPlace, ItemWriter } from "./item-writer.ts";
import { encodeTokenLogprobs } from "../../fields/openai-logprobs.ts";
import { encodeOutputItem, encodeTextContent, type ItemStatus } from "../answer/output-item.ts";

type TextualPart = Extract<Part, { type: "text" | "refusal" }>;

/** Writes a text or a refusal as a message with one content. */
export function openMessageWriter(start: TextualPart, { id, outputIndex }: ItemPlace, writer: EventWriter): ItemWriter {
  const pieces: string[] = [];
  const citations: Citation[] = [];
  const logprobs: TokenLogprob[] = [];
  let sentLogprobs = 0;
  let annotationCount = 0;
  let signature = start.type === "text" ? start.signature : undefined;
  let status: ItemStatus = "in_progress";

  const at = { item_id: id, output_index: outputIndex, content_index: 0 };
  const kind = start.type === "text" ? "output_text" : "refusal";
  const writeDelta = writer.deltas(`response.${kind}.delta`, at);

  const part = (): TextualPart => {
    const text = pieces.join("");
    return start.type === "text" ? { ...start, text, citations, signature } : { ...start, text };
  };
  const item = () => encodeOutputItem(part(), id, status, logprobs) ?? {};

  const writeText = (text: string): string => {
    pieces.push(text);
    return kind === "refusal" ? writeDelta(text) : writeDelta(text, `,"logprobs":${unsentLogprobs()}`);
  };

  const unsentLogprobs = (): string => {
    if (sentLogprobs === logprobs.length) return "[]";
    const unsent = encodeTokenLogprobs(logprobs.slice(sentLogprobs), []);
    sentLogprobs = logprobs.length;
    return JSON.stringify(unsent);
  };

  const cite = (citation: Citation): string => {
    const annotation = encodeAnnotation(citation);
    if (annotation === null) return "";
    citations.push(citation);
    return writer.event("response.output_text.annotation.added", {
      ...at,
      annotation_index: annotationCount++,
      annotation,
    });
  };

  return {
    open() {
      const added = { output_index: outputIndex, item: { ...item(), content: [] } };
      let text = writer.event("response.output_item.added", added);
      text += writer.event("response.content_part.added", { ...at, part: encodeTextContent(part()) });
      if (start.text !== "") text += writeText(start.text);
      for (const citation of (start.type === "text" ? start.citations : undefined) ?? []) text += cite(citation);
      return text;
    },
    push(delta) {
      if (delta.type === "text-delta") return writeText(delta.text);
      if (delta.type === "citation-delta") return cite(delta.citation);
      if (delta.type === "signature-delta") signature = delta.signature;
      return "";
    },
    addLogprobs(more) {
      logprobs.push(...more);
    },
    close(ended) {
      status = ended;
      const encoded = encodeTextContent(part(), logprobs);
      return (
        writer.event(`response.${kind}.done`, { ...at, ...doneFields(encoded) }) +
        writer.event("response.content_part.done", { ...at, part: encoded }) +
        writer.event("response.output_item.done", { output_index: outputIndex, item: item() })
      );
    },
    item,
  };
}

function doneFields(encoded: JsonObject): JsonObject {
  return encoded.type === "refusal" ? { refusal: encoded.refusal } : { text: encoded.text, logprobs: encoded.logprobs };
}

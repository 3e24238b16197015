import { createHash } from "node:crypto";
import type { Part } from "../../../conversation/parts.ts";
import type { StreamEvent } from "../../../conversation/stream.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";
import { decodeCitations } from "./citations.ts";
import { itemsOf } from "../fields.ts";
import { decodeFinishReason } from "./finish-reason.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { mediaPart, sourceOfFileUri } from "../media.ts";
import { openArgumentAssembler, type ArgumentAssembler } from "./partial-arguments.ts";
import { readSignature, type ReadSignature } from "../signature.ts";

/** Reads one candidate of an answer, chunk by chunk. A whole answer is one chunk. */
export interface CandidateDecoder {
  push(candidate: JsonObject, events: StreamEvent[]): void;
  /** No more chunks come. `finishReason` may be missing only if the answer came whole. */
  end(events: StreamEvent[]): void;
  readonly finished: boolean;
}

/** Text or thoughts that may go on in the next chunk. */
interface OpenText {
  readonly type: "text" | "reasoning";
  readonly index: number;
  signed: boolean;
}

/** A call whose arguments come value by value. */
interface OpenCall {
  readonly index: number;
  readonly arguments: ArgumentAssembler;
}

/**
 * Text is one part until thoughts, a call or anything else begins, or it is signed; the signature may come by itself.
 * Older models send STOP in every chunk, newer ones a call and STOP in two: the finish is reported at the end.
 */
export function openCandidateDecoder(candidate: number, answerId: string): CandidateDecoder {
  let openText: OpenText | null = null;
  let call: OpenCall | null = null;
  let partCount = 0;
  let callCount = 0;
  /** All text so far, and where in it the open part begins: citations are counted over all of it. */
  let text = "";
  let textStart = 0;
  const cited = new Set<string>();
  let finish: { readonly reason: unknown; readonly message: unknown } | null = null;

  const start = (part: Part, events: StreamEvent[]): number => {
    close(events);
    const index = partCount++;
    events.push({ type: "part-start", candidate, index, part });
    return index;
  };

  const close = (events: StreamEvent[]) => {
    if (openText !== null) events.push({ type: "part-end", candidate, index: openText.index });
    openText = null;
    if (call !== null) closeCall(call, call.arguments.json(), events);
  };

  const closeCall = ({ index }: Pick<OpenCall, "index">, input: string, events: StreamEvent[]) => {
    events.push({ type: "input-delta", candidate, index, input }, { type: "part-end", candidate, index });
    call = null;
  };

  const pushText = (type: OpenText["type"], words: string, read: ReadSignature | null, events: StreamEvent[]) => {
    if (words === "" && read === null) return;
    const goesOn = openText !== null && openText.type === type && !openText.signed && read?.redacted !== true;
    if (!goesOn || openText === null) {
      const redacted = read?.redacted ?? ((words === "" && read?.signature.vendor === "google") || undefined);
      const part: Part = type === "text" ? { type, text: "" } : { type, text: "", redacted, id: read?.id };
      textStart = text.length;
      openText = { type, index: start(part, events), signed: false };
    }
    if (words !== "") events.push({ type: "text-delta", candidate, index: openText.index, text: words });
    if (type === "text") text += words;
    if (read === null) return;
    events.push({ type: "signature-delta", candidate, index: openText.index, signature: read.signature });
    openText.signed = true;
  };

  const startCall = (value: JsonObject, signature: ReadSignature | null, events: StreamEvent[]) => {
    const id = stringOrNull(value.id) ?? "";
    const part: Part = {
      type: "tool-call",
      kind: "function",
      id: id === "" ? callId(answerId, candidate, callCount) : id,
      name: stringOrNull(value.name) ?? "",
      input: "",
      signature: signature?.signature,
    };
    callCount += 1;
    const index = start(part, events);
    const argumentsNow = openArgumentAssembler();
    if (value.willContinue !== true && value.partialArgs === undefined) {
      closeCall({ index }, JSON.stringify(value.args ?? {}), events);
      return;
    }
    call = { index, arguments: argumentsNow };
    goOnWithCall(call, value, events);
  };

  const goOnWithCall = (open: OpenCall, value: JsonObject, events: StreamEvent[]) => {
    open.arguments.push(value.partialArgs);
    if (value.willContinue !== true) closeCall(open, open.arguments.json(), events);
  };

  const pushPart = (part: JsonObject, events: StreamEvent[]) => {
    const read = readSignature(part.thoughtSignature);
    if (isObject(part.functionCall)) {
      const goesOn = call !== null && part.functionCall.name === undefined;
      if (goesOn && call !== null) goOnWithCall(call, part.functionCall, events);
      else startCall(part.functionCall, read, events);
      return;
    }
    const whole = decodeWholePart(part, read);
    if (whole === null) {
      pushText(part.thought === true ? "reasoning" : "text", stringOrNull(part.text) ?? "", read, events);
      return;
    }
    const index = start(whole, events);
    events.push({ type: "part-end", candidate, index });
  };

  /** Chunks may repeat content of earlier ones. */
  const cite = (value: JsonObject, events: StreamEvent[]) => {
    if (openText?.type !== "text") return;
    const { index } = openText;
    for (const citation of decodeCitations(value, text, textStart)) {
      const key = JSON.stringify(citation);
      if (cited.has(key)) continue;
      cited.add(key);
      events.push({ type: "citation-delta", candidate, index, citation });
    }
  };

  return {
    push(value, events) {
      const logprobs = decodeLogprobs(value.logprobsResult);
      if (logprobs !== undefined) events.push({ type: "logprobs-delta", candidate, logprobs });
      const content = isObject(value.content) ? value.content : {};
      for (const part of listOrEmpty(itemsOf(content.parts))) if (isObject(part)) pushPart(part, events);
      if (value.groundingMetadata !== undefined || value.citationMetadata !== undefined) cite(value, events);
      const reason = value.finishReason;
      if (typeof reason !== "string" || reason === "FINISH_REASON_UNSPECIFIED") return;
      finish = { reason, message: value.finishMessage };
    },
    end(events) {
      close(events);
      const reported = decodeFinishReason(finish?.reason, finish?.message, callCount > 0);
      events.push({ type: "finish", candidate, finish: reported });
    },
    get finished() {
      return finish !== null;
    },
  };
}

/** A part that has no pieces; null for text, and for a signature by itself. */
function decodeWholePart(part: JsonObject, read: ReadSignature | null): Part | null {
  if (typeof part.text === "string") return null;
  const { inlineData: data, fileData: file } = part;
  // Thoughts in pictures must not pass for the answer.
  if (part.thought !== true && isObject(data) && typeof data.data === "string") {
    const mediaType = stringOrNull(data.mimeType) ?? "application/octet-stream";
    return signed(mediaPart({ type: "data", mediaType, base64: data.data }, mediaType), read);
  }
  if (part.thought !== true && isObject(file) && typeof file.fileUri === "string") {
    const mediaType = stringOrNull(file.mimeType) ?? undefined;
    return mediaPart(sourceOfFileUri(file.fileUri, mediaType), mediaType);
  }
  const silent = Object.keys(part).every((name) => name === "thought" || name === "thoughtSignature");
  return silent ? null : { type: "native", vendor: "google", value: part };
}

function signed(part: Part, read: ReadSignature | null): Part {
  return read === null || part.type !== "image" ? part : { ...part, signature: read.signature };
}

/** An id for a call that came without one: the same whenever the same answer is read, and not that of any other. */
function callId(answerId: string, candidate: number, position: number): string {
  const text = `${answerId} ${candidate} ${position}`;
  return `call_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
}

import { openPartQueue } from "../../../conversation/one-part-at-a-time.ts";
import type { Citation, Part } from "../../../conversation/parts.ts";
import type { Finish } from "../../../conversation/response.ts";
import type { StreamEvent } from "../../../conversation/stream.ts";
import type { ReportedUsage } from "../../../conversation/usage.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { AnswerContext, StreamEncoder } from "../../codec.ts";
import { encodeCitations, type CitedText } from "./citations.ts";
import { cutCallMessage, encodeAnswerPart, isCutCall, signatureField } from "./encode-answer-part.ts";
import { answerHead, contentOf, cutFinish, isBlocked, nativeOf } from "./encode-response.ts";
import { encodeGeminiError } from "../errors.ts";
import { encodeFinishReason } from "./finish-reason.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { openStreamFramer, type StreamForm } from "./stream-framing.ts";
import { writeGeminiUsage } from "../usage.ts";

/** The part of a candidate that is open. */
interface OpenPart {
  part: Part;
  /** Pieces of a call's arguments, or of a text that has citations to place. */
  readonly pieces: string[];
  readonly citations: Citation[];
}

interface CandidateState {
  open: OpenPart | null;
  /** The texts so far: citations are placed within all of them. */
  readonly texts: CitedText[];
  /** The searches that succeeded. */
  readonly queries: string[];
  cutCall: string | null;
  finish: Finish | null;
}

/**
 * Writes a stream of GenerateContentResponse chunks. Text goes out as it comes; a call when its arguments are whole;
 * the finish reasons with the usage in the last chunk, since client libraries take every chunk for a part of the turn.
 */
export function openGeminiStreamEncoder(context: AnswerContext, form: StreamForm = "sse"): StreamEncoder {
  const framer = openStreamFramer(form);
  const queue = openPartQueue();
  const candidates = new Map<number, CandidateState>();
  let head = "";
  let usage: ReportedUsage | null = null;
  let native: JsonObject = {};

  const candidateAt = (index: number): CandidateState => {
    let state = candidates.get(index);
    if (state === undefined) {
      state = { open: null, texts: [], queries: [], cutCall: null, finish: null };
      candidates.set(index, state);
    }
    return state;
  };

  /** One part as a chunk, whose constant end is written once. */
  const partChunk = (index: number, part: JsonObject | null): string => {
    if (part === null) return "";
    const text = JSON.stringify(part);
    return framer.chunk(`{"candidates":[{"content":{"parts":[${text}],"role":"model"},"index":${index}}],${head}`);
  };

  const encodePartEvent = (event: StreamEvent): string => {
    if (!("index" in event)) return "";
    const state = candidateAt(event.candidate);
    if (event.type === "part-start") {
      state.open = { part: event.part, pieces: [], citations: [] };
      return partChunk(event.candidate, begunPart(event.part));
    }
    const { open } = state;
    if (open === null) return "";
    switch (event.type) {
      case "text-delta":
        if (open.part.type === "text") open.pieces.push(event.text);
        return partChunk(event.candidate, textPiece(open.part, event.text));
      case "input-delta":
        open.pieces.push(event.input);
        return "";
      case "signature-delta":
        open.part = signedPart(open.part, event.signature);
        return "";
      case "citation-delta":
        open.citations.push(event.citation);
        return "";
      case "search-outcome":
        if (open.part.type === "web-search" && "pages" in event.outcome) state.queries.push(open.part.query);
        return "";
      default:
        state.open = null;
        return partChunk(event.candidate, endPart(open, state));
    }
  };

  const lastChunk = (): string => {
    const written = [...candidates].map(([index, { finish, cutCall, texts, queries }]) => {
      const ending = finish ?? { reason: "error" };
      return {
        content: contentOf([]),
        ...encodeFinishReason(cutCall === null ? ending : cutFinish(ending, cutCall)),
        index,
        groundingMetadata: encodeCitations(texts, queries),
      };
    });
    const chunk = {
      candidates: isBlocked(native) ? undefined : written,
      usageMetadata: usage === null ? undefined : writeGeminiUsage(usage),
      ...native,
    };
    const text = JSON.stringify(chunk);
    return framer.chunk(text === "{}" ? `{${head}` : `${text.slice(0, -1)},${head}`);
  };

  return {
    push(event) {
      switch (event.type) {
        case "response-start":
          head = JSON.stringify(answerHead(event, context)).slice(1);
          return "";
        case "usage":
          usage = event.usage;
          return "";
        case "native":
          native = { ...native, ...nativeOf(event.native) };
          return "";
        case "finish":
          candidateAt(event.candidate).finish = event.finish;
          return "";
        case "logprobs-delta": {
          const content = contentOf([]);
          const logprobsResult = encodeLogprobs(event.logprobs);
          const text = JSON.stringify({ content, index: event.candidate, logprobsResult });
          return framer.chunk(`{"candidates":[${text}],${head}`);
        }
        case "response-end":
          return lastChunk();
        default:
          return queue.push(event).map(encodePartEvent).join("");
      }
    },
    terminator: () => framer.end(),
    fail: (error, requestId) => framer.chunk(JSON.stringify(encodeGeminiError(error, requestId))) + framer.end(),
  };
}

/** The content of a part that is sent at its start; calls wait until they are complete, signatures until the end. */
function begunPart(part: Part): JsonObject | null {
  if (part.type === "tool-call") return null;
  if (part.type === "text" || part.type === "reasoning" || part.type === "refusal") return textPiece(part, part.text);
  return encodeAnswerPart(part);
}

function textPiece(part: Part, text: string): JsonObject | null {
  if (text === "") return null;
  return part.type === "reasoning" ? { text, thought: true } : { text };
}

function signedPart(part: Part, signature: Extract<StreamEvent, { type: "signature-delta" }>["signature"]): Part {
  const bears = part.type === "text" || part.type === "reasoning" || part.type === "tool-call";
  return bears ? { ...part, signature } : part;
}

/** The content of a part that is sent at its end: a complete call, or the signature of its text. */
function endPart({ part, pieces, citations }: OpenPart, state: CandidateState): JsonObject | null {
  switch (part.type) {
    case "tool-call": {
      const whole = { ...part, input: part.input + pieces.join("") };
      if (isCutCall(whole)) state.cutCall = cutCallMessage(whole);
      return encodeAnswerPart(whole);
    }
    case "text":
      state.texts.push({ text: part.text + pieces.join(""), citations: [...(part.citations ?? []), ...citations] });
      return part.signature === undefined ? null : { text: "", ...signatureField(part) };
    case "reasoning":
      return part.signature === undefined ? null : { text: "", thought: true, ...signatureField(part) };
    default:
      return null;
  }
}

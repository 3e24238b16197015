import type { Citation, JsonObject, Part, SearchOutcome, Signature } from "./parts.ts";
import type { Candidate, ConversationResponse, Finish, NativeFields, TokenLogprob } from "./response.ts";
import type { StreamEvent } from "./stream.ts";
import type { ReportedUsage } from "./usage.ts";

/** Folds stream events into the whole answer they say. */
export interface Collector {
  push(event: StreamEvent): void;
  /** The answer so far; whole after `response-end`. */
  response(): ConversationResponse;
}

/** A part being put together: what it started as, and what came since. Text is joined once, at the end. */
interface GrowingPart {
  readonly start: Part;
  readonly pieces: string[];
  signature: Signature | undefined;
  citations: Citation[] | undefined;
  outcome: SearchOutcome | undefined;
}

interface GrowingCandidate {
  readonly parts: GrowingPart[];
  finish: Finish;
  logprobs: TokenLogprob[] | undefined;
}

/** Stands until a candidate's own finish comes. */
const unfinished: Finish = { reason: "error" };

/** Begins to collect one answer. */
export function openCollector(): Collector {
  const candidates: GrowingCandidate[] = [];
  let head: { id: string | null; model: string | null; created: number | null } = {
    id: null,
    model: null,
    created: null,
  };
  let usage: ReportedUsage | null = null;
  let serviceTier: string | undefined;
  let native: NativeFields | undefined;

  const candidateAt = (number: number): GrowingCandidate => {
    while (candidates.length <= number) candidates.push({ parts: [], finish: unfinished, logprobs: undefined });
    return candidates[number] as GrowingCandidate;
  };

  return {
    push(event) {
      switch (event.type) {
        case "response-start":
          head = { id: event.id, model: event.model, created: event.created };
          return;
        case "usage":
          usage = event.usage;
          return;
        case "native":
          serviceTier = event.serviceTier ?? serviceTier;
          native = joinNative(native, event.native);
          return;
        case "response-end":
          return;
        case "finish":
          candidateAt(event.candidate).finish = event.finish;
          return;
        case "logprobs-delta":
          (candidateAt(event.candidate).logprobs ??= []).push(...event.logprobs);
          return;
        case "part-start":
          candidateAt(event.candidate).parts[event.index] = {
            start: event.part,
            pieces: [],
            signature: undefined,
            citations: undefined,
            outcome: undefined,
          };
          return;
        default: {
          const part = candidates[event.candidate]?.parts[event.index];
          if (part !== undefined) growPart(part, event);
        }
      }
    },
    response() {
      return {
        ...head,
        candidates: candidates.map(finishCandidate),
        usage,
        serviceTier,
        native,
      };
    },
  };
}

function growPart(
  part: GrowingPart,
  event: Extract<
    StreamEvent,
    { type: "text-delta" | "input-delta" | "signature-delta" | "citation-delta" | "search-outcome" | "part-end" }
  >,
): void {
  if (event.type === "text-delta") part.pieces.push(event.text);
  else if (event.type === "input-delta") part.pieces.push(event.input);
  else if (event.type === "signature-delta") part.signature = event.signature;
  else if (event.type === "citation-delta") (part.citations ??= []).push(event.citation);
  else if (event.type === "search-outcome") part.outcome = event.outcome;
}

function finishCandidate(candidate: GrowingCandidate): Candidate {
  return { parts: candidate.parts.map(finishPart), finish: candidate.finish, logprobs: candidate.logprobs };
}

function finishPart({ start, pieces, signature, citations, outcome }: GrowingPart): Part {
  const added = pieces.join("");
  switch (start.type) {
    case "text":
      return {
        ...start,
        text: start.text + added,
        signature: signature ?? start.signature,
        citations: citations === undefined ? start.citations : [...(start.citations ?? []), ...citations],
      };
    case "reasoning":
      return { ...start, text: start.text + added, signature: signature ?? start.signature };
    case "refusal":
      return { ...start, text: start.text + added };
    case "tool-call":
      return { ...start, input: start.input + added, signature: signature ?? start.signature };
    case "image":
      return { ...start, signature: signature ?? start.signature };
    case "web-search":
      return { ...start, outcome: outcome ?? start.outcome };
    default:
      return start;
  }
}

function joinNative(known: NativeFields | undefined, added: NativeFields | undefined): NativeFields | undefined {
  if (added === undefined || known?.vendor !== added.vendor) return added ?? known;
  const fields: JsonObject = { ...known.fields, ...added.fields };
  return { vendor: known.vendor, fields };
}

import type { StreamEvent } from "./stream.ts";

interface CandidateState {
  nextIndex: number;
  /** Type of each open part, by index. */
  readonly open: Map<number, string>;
  finished: boolean;
}

const textTypes = ["text", "reasoning", "refusal"];
const signedTypes = ["text", "reasoning", "tool-call", "image"];

/** Checks events against the grammar in `stream.ts`. Throws at the first that breaks it, naming its place. */
export function validateStream(events: readonly StreamEvent[]): void {
  const candidates = new Map<number, CandidateState>();
  let started = false;
  let ended = false;

  for (const [position, event] of events.entries()) {
    const fail = (what: string): never => {
      throw new Error(`Event ${position} (${event.type}): ${what}.`);
    };
    if (ended) fail("after response-end");
    if (started === (event.type === "response-start")) fail("response-start must be first, and once");

    if (event.type === "response-start") {
      started = true;
    } else if (event.type === "response-end") {
      if (candidates.size === 0) fail("no candidate");
      for (const [number, candidate] of candidates)
        if (!candidate.finished) fail(`candidate ${number} is not finished`);
      ended = true;
    } else if ("candidate" in event) {
      checkCandidateEvent(event, candidateState(candidates, event.candidate), fail);
    }
  }
  if (!ended) throw new Error("The stream has no response-end.");
}

function candidateState(candidates: Map<number, CandidateState>, number: number): CandidateState {
  const known = candidates.get(number);
  if (known !== undefined) return known;
  const state: CandidateState = { nextIndex: 0, open: new Map(), finished: false };
  candidates.set(number, state);
  return state;
}

function checkCandidateEvent(
  event: Extract<StreamEvent, { candidate: number }>,
  candidate: CandidateState,
  fail: (what: string) => never,
): void {
  if (candidate.finished) fail("its candidate is finished");
  if (event.type === "finish") {
    if (candidate.open.size > 0) fail("a part is still open");
    candidate.finished = true;
  } else if (event.type === "part-start") {
    if (event.index !== candidate.nextIndex) fail(`index ${event.index} where ${candidate.nextIndex} is next`);
    candidate.nextIndex += 1;
    candidate.open.set(event.index, event.part.type);
  } else if (event.type !== "logprobs-delta") {
    const type = candidate.open.get(event.index) ?? fail(`part ${event.index} is not open`);
    if (event.type === "part-end") candidate.open.delete(event.index);
    if (event.type === "text-delta" && !textTypes.includes(type)) fail(`text for a ${type} part`);
    if (event.type === "input-delta" && type !== "tool-call") fail(`input for a ${type} part`);
    if (event.type === "signature-delta" && !signedTypes.includes(type)) fail(`signature for a ${type} part`);
    if (event.type === "search-outcome" && type !== "web-search") fail(`an outcome for a ${type} part`);
    if (event.type === "citation-delta" && type !== "text") fail(`citation for a ${type} part`);
  }
}

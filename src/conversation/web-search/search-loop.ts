import { addQuantity, type MutableQuantities, sumOf } from "../../dimensions.ts";
import { openCollector, type Collector } from "../collect.ts";
import type { Part, SearchOutcome, TextPart, ToolCallPart, ToolResultPart } from "../parts.ts";
import type { ConversationRequest, Message, ToolChoice } from "../request.ts";
import type { Finish } from "../response.ts";
import type { PartStart, StreamEvent } from "../stream.ts";
import { parseToolInput } from "../tool-calls.ts";
import { uniqueCallIds } from "../unique-call-ids.ts";
import { nothingReported, type ReportedUsage } from "../usage.ts";
import { CitationScanner, type CitationsLeft, maxCitations } from "./citation-scanner.ts";
import { failureText, FoundPages } from "./found-pages.ts";
import { sumUsage } from "./sum-usage.ts";

/** A request whose model may search by a function that the gateway runs. */
export interface SearchingRequest {
  readonly conversation: ConversationRequest;
  /** The name of the function. */
  readonly toolName: string;
  /** Searches of one answer at most; at least 1. */
  readonly maxSearches: number;
}

/** A search that the model asks for. */
export interface AskedQuery {
  /** Unique within the answer. */
  readonly id: string;
  /** Null if the model gave none that can be searched for. */
  readonly query: string | null;
  readonly callId: string;
  readonly index: number;
}

const none: readonly AskedQuery[] = [];
const maxQueryLength = 4_000;
const bytesPerToken = 4;
const paragraph = "\n\n";

/** What is known of a round while it is read. */
interface Round {
  readonly collector: Collector;
  /** The index in the whole answer by the index in the round; null for a call that the caller does not see. */
  readonly places: Map<number, number | null>;
  /** Of the texts, by their index in the whole answer. */
  readonly scanners: Map<number, CitationScanner>;
  nextIndex: number;
  ownCalls: number;
  hasText: boolean;
  finish: Finish | null;
  usage: ReportedUsage | null;
}

/**
 * Makes one answer of the rounds of a model that searches: each round is an answer of the provider's; after it the searches
 * that it asks for are made, and the model is asked again with their results. Calls of the caller's own tools end the loop.
 * Its input and its output are events of `conversation/stream.ts`, of which the output is one answer with one candidate.
 */
export class SearchLoop {
  readonly #toolName: string;
  readonly #maxSearches: number;
  readonly #answerKey: string;
  readonly #joinsTexts: boolean;
  readonly #pages = new FoundPages();
  readonly #left: CitationsLeft = { citations: maxCitations };
  readonly #withUniqueId = uniqueCallIds();
  #request: ConversationRequest;
  #round: Round = newRound(0);
  #nextIndex = 0;
  #hasStarted = false;
  #isWithdrawn = false;
  /** Whether a round before this one has written text. */
  #hasText = false;
  #searches = 0;
  #units = 0;
  #past: (ReportedUsage | null)[] = [];
  #results: ToolResultPart[] = [];
  /** The searches that the round asks for, which has ended; empty if the answer is complete or the round goes on. */
  asked: readonly AskedQuery[] = none;

  /**
   * @param answerKey makes the ids of searches unique among answers
   * @param joinsTexts the caller is given one text, in which those of the rounds are paragraphs
   */
  constructor({ conversation, toolName, maxSearches }: SearchingRequest, answerKey: string, joinsTexts = false) {
    this.#joinsTexts = joinsTexts;
    this.#request = conversation;
    this.#toolName = toolName;
    this.#maxSearches = maxSearches;
    this.#answerKey = answerKey;
  }

  /** Begins to read the round, or to read it once more: then nothing of the first reading was sent. */
  restart(): void {
    this.#round = newRound(this.#nextIndex);
    this.asked = none;
  }

  /** The events of the whole answer that an event of the round makes. */
  take(given: StreamEvent): readonly StreamEvent[] {
    const event = this.#withUniqueId(given);
    const round = this.#round;
    round.collector.push(event);
    switch (event.type) {
      case "response-start":
        if (this.#hasStarted) return [];
        this.#hasStarted = true;
        return [event];
      case "usage":
        round.usage = event.usage;
        return this.#report(event.usage);
      case "native":
        return [event];
      case "finish":
        if (event.candidate === 0) round.finish = event.finish;
        return [];
      case "response-end":
        return this.#end();
      case "logprobs-delta":
        return event.candidate === 0 ? [event] : [];
      default:
        return event.candidate === 0 ? this.#takePart(event) : [];
    }
  }

  #takePart(event: Extract<StreamEvent, { index: number }>): readonly StreamEvent[] {
    const round = this.#round;
    if (event.type === "part-start") {
      const { part } = event;
      if (part.type === "tool-call" && part.kind === "function" && part.name === this.#toolName) {
        round.places.set(event.index, null);
        return [];
      }
      if (part.type === "tool-call") round.ownCalls++;
      const index = round.nextIndex++;
      round.places.set(event.index, index);
      return part.type === "text" ? this.#startText({ ...event, index }, part) : [{ ...event, index }];
    }
    const index = round.places.get(event.index) ?? null;
    if (index === null) return [];
    const scanner = round.scanners.get(index);
    if (scanner && event.type === "text-delta")
      return [{ ...event, index }, ...citations(scanner.push(event.text), index)];
    if (scanner && event.type === "part-end") return [...citations(scanner.end(), index), { ...event, index }];
    return [{ ...event, index }];
  }

  /** @param event with the index in the whole answer */
  #startText(event: PartStart, part: TextPart): readonly StreamEvent[] {
    const round = this.#round;
    const scanner = new CitationScanner(this.#pages, this.#left);
    round.scanners.set(event.index, scanner);
    const isJoined = this.#joinsTexts && this.#hasText && !round.hasText;
    round.hasText = true;
    const text = isJoined ? `${paragraph}${part.text}` : part.text;
    return [{ ...event, part: { ...part, text } }, ...citations(scanner.push(text), event.index)];
  }

  /** The round has ended: with searches to make, or as the answer does. */
  #end(): readonly StreamEvent[] {
    const round = this.#round;
    const calls = this.#calls();
    const { reason = "error" } = round.finish ?? {};
    const canGoOn = (reason === "tool-calls" || reason === "stop") && round.ownCalls === 0 && !this.#isWithdrawn;
    this.#nextIndex = round.nextIndex;
    if (calls.length > 0 && canGoOn) {
      this.asked = calls.map(({ id, input }, number) => {
        return {
          id: `${this.#answerKey}${(this.#searches + number).toString(16).padStart(3, "0")}`,
          query: queryOf(input),
          callId: id,
          index: this.#nextIndex + number,
        };
      });
      this.#nextIndex += calls.length;
      return [];
    }
    const isUnanswered = reason === "tool-calls" && calls.length > 0 && round.ownCalls === 0;
    const finish: Finish = isUnanswered ? { reason: "stop" } : (round.finish ?? { reason: "error" });
    return [{ type: "finish", candidate: 0, finish }, { type: "response-end" }];
  }

  #calls(): readonly ToolCallPart[] {
    const hidden = (part: Part): part is ToolCallPart =>
      part.type === "tool-call" && part.kind === "function" && part.name === this.#toolName;
    return this.#turn().filter(hidden);
  }

  #turn(): readonly Part[] {
    return this.#round.collector.response().candidates[0]?.parts ?? [];
  }

  /** A search that was asked for begins; says whether it may be made. */
  begin({ id, index, query }: AskedQuery): { readonly events: readonly StreamEvent[]; readonly isAllowed: boolean } {
    const isAllowed = query !== null && this.#searches < this.#maxSearches;
    this.#searches++;
    const part: Part = { type: "web-search", id, query: query ?? "" };
    return { isAllowed, events: [{ type: "part-start", candidate: 0, index, part }] };
  }

  /** The error of a search that may not be made. */
  refusal({ query }: AskedQuery): SearchOutcome {
    return { error: query === null ? "invalid_query" : "max_uses_exceeded" };
  }

  /** A search has ended. @param units that it is billed by */
  found({ callId, index }: AskedQuery, outcome: SearchOutcome, units: number): readonly StreamEvent[] {
    this.#units += units;
    const at = { candidate: 0, index };
    if ("error" in outcome) {
      const parts = [failureText(outcome.error)];
      this.#results.push({ type: "tool-result", callId, name: this.#toolName, parts, isError: true });
      return [
        { type: "search-outcome", ...at, outcome },
        { type: "part-end", ...at },
      ];
    }
    const { text, told } = this.#pages.add(outcome.pages);
    this.#results.push({ type: "tool-result", callId, name: this.#toolName, parts: [{ type: "text", text }] });
    return [
      { type: "search-outcome", ...at, outcome: { pages: told } },
      { type: "part-end", ...at },
    ];
  }

  /** The request of the next round, once all searches have ended, and what the caller is told of it. */
  next(): { readonly request: ConversationRequest; readonly events: readonly StreamEvent[] } {
    const results = this.#results;
    this.#results = [];
    const turn = this.#turn().filter(isSentBack);
    this.#past.push(this.#round.usage);
    this.#hasText ||= this.#round.hasText;
    const expected = expectedReading(this.#round.usage, results);
    const messages: readonly Message[] = [
      ...this.#request.messages,
      { role: "assistant", parts: turn },
      { role: "tool", parts: results },
    ];
    const choice = afterFirst(this.#request.toolChoice);
    this.#request = { ...this.#request, messages, toolChoice: choice };
    if (this.#searches >= this.#maxSearches) this.#withdraw();
    this.restart();
    return { request: this.#request, events: this.#report(expected) };
  }

  /** No more searches: the function is no longer offered, or no longer to be called if it is the only one. */
  #withdraw(): void {
    this.#isWithdrawn = true;
    const { tools = [], toolChoice } = this.#request;
    const others = tools.filter((tool) => tool.type === "native" || tool.name !== this.#toolName);
    this.#request =
      others.length > 0
        ? { ...this.#request, tools: others, toolChoice: choiceWithout(toolChoice, this.#toolName) }
        : { ...this.#request, toolChoice: { type: "none" } };
  }

  /** The usage of all rounds so far. */
  #report(current: ReportedUsage | null): readonly StreamEvent[] {
    const sum = sumUsage([...this.#past, current]);
    if (sum === null && this.#units === 0) return [];
    const known = sum ?? nothingReported;
    if (this.#units === 0) return [{ type: "usage", usage: known }];
    const quantities: MutableQuantities = { ...known.quantities };
    addQuantity(quantities, "web_search", this.#units);
    return [{ type: "usage", usage: { ...known, quantities } }];
  }
}

function newRound(nextIndex: number): Round {
  return {
    collector: openCollector(),
    places: new Map(),
    scanners: new Map(),
    nextIndex,
    ownCalls: 0,
    hasText: false,
    finish: null,
    usage: null,
  };
}

function citations(found: ReturnType<CitationScanner["push"]>, index: number): StreamEvent[] {
  return found.map((citation) => ({ type: "citation-delta", candidate: 0, index, citation }));
}

/** The parts of an answer that its model is shown again. */
function isSentBack(part: Part): boolean {
  if (part.type === "text") return part.text.trim() !== "";
  return part.type === "reasoning" || part.type === "tool-call";
}

function queryOf(input: string): string | null {
  const query = parseToolInput(input)?.query;
  const isGood = typeof query === "string" && query.length <= maxQueryLength && /[^\s\p{Cc}\p{Cf}]/u.test(query);
  return isGood ? query : null;
}

/** A choice that demands a call is met by the first search. */
function afterFirst(choice: ToolChoice | undefined): ToolChoice | undefined {
  if (choice?.type === "required" || choice?.type === "tool") return { type: "auto" };
  return choice?.type === "allowed" ? { ...choice, mode: "auto" } : choice;
}

function choiceWithout(choice: ToolChoice | undefined, name: string): ToolChoice | undefined {
  if (choice?.type !== "allowed") return choice;
  const names = choice.names.filter((each) => each !== name);
  return names.length === 0 ? { type: "none" } : { ...choice, names };
}

/** What the next round will read at least, until it reports by itself: what the last one read and wrote, and the results. */
function expectedReading(last: ReportedUsage | null, results: readonly ToolResultPart[]): ReportedUsage | null {
  if (last === null) return null;
  let bytes = 0;
  for (const { parts } of results)
    for (const part of parts) if (part.type === "text") bytes += Buffer.byteLength(part.text);
  const input = sumOf(last.quantities, "token") + Math.ceil(bytes / bytesPerToken);
  return { ...nothingReported, quantities: { input }, input: "so_far" };
}

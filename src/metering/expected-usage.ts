import { type Quantities, sumOf, toQuantity } from "../dimensions.ts";
import { maxResultBytes } from "../conversation/web-search/found-pages.ts";
import { maxInputTokens, quickTokens } from "./estimate.ts";
import type { PromptContent } from "./prompt-content.ts";

/** The text that a request asks a model to write. */
export interface Writing {
  /** How many answers. */
  readonly answers: number;
  /** Tokens of one answer at most, as the caller asks; null if it does not say. */
  readonly maxTokens: number | null;
}

/**
 * The expected usage of a request, as far as it is known before a model is chosen. Made at most once a request, and
 * only if someone asks. Figures of the caller's own are bounded here: whatever it writes, none is negative or too large.
 */
export interface ExpectedUsage {
  /** Quick figures, rather high, of everything but the text that is written. */
  readonly expected: Quantities;
  /** Upper bounds of the same, worked out if asked for. Null, or without input: the request does not bound what is read. */
  readonly max: () => Quantities | null;
  /** Null if no text is written. */
  readonly writes: Writing | null;
  /** The depth of a search of the web, whose units depend on the backend; absent if there is none. */
  readonly searches?: "basic" | "advanced";
  /** How many pages are fetched, whose units depend on the backend; absent if none. */
  readonly fetches?: number;
  /** The web searches that models with `webSearch` leave to the gateway; absent if there are none. */
  readonly webSearches?: {
    /** As the caller limits them; null if it does not. */
    readonly maxUses: number | null;
    /** Upper bounds of a first round, in which no provider searches. */
    readonly max: () => Quantities | null;
  };
  /**
   * Its quantities measure one thing in several ways (characters, seconds, tokens of the same speech): only those that
   * have a price at the model count.
   */
  readonly isByPrice?: true;
  /** What the price of its images may depend on, as far as the caller says it; null: that is the model's choice. Absent: anything. */
  readonly imageVariant?: { readonly size: string | null; readonly quality: string | null };
}

/** The billing units of one search, as they are expected and at most. */
export interface SearchUnits {
  readonly basic: number;
  readonly advanced: number;
  readonly max: number;
  /** Absent if its provider fetches no pages. */
  readonly fetch?: FetchUnits;
}

/** The billing units of pages that are fetched by address. */
export interface FetchUnits {
  /** So many pages are one unit. */
  readonly pagesPerUnit: number;
  /** The most that a single page may be, if a long one is more than others; else null. */
  readonly maxPerPage: number | null;
}

/** The units that pages usually are, if their provider does not say how many they were. */
export function unitsOfPages(pages: number, { pagesPerUnit }: FetchUnits): number {
  return Math.ceil(pages / pagesPerUnit);
}

/** The units that a provider may report at most for so many pages. */
export function maxUnitsOfPages(pages: number, units: FetchUnits): number {
  return Math.max(unitsOfPages(pages, units), pages * (units.maxPerPage ?? 0));
}

/** A model's own bounds, in tokens; null if they are not known. */
export interface ModelLimits {
  readonly maxOutputTokens: number | null;
  readonly contextLength: number | null;
  /** Absent if it is no backend of searches. */
  readonly searchUnits?: SearchUnits;
  /** Searches of one answer at most, if the gateway makes them. */
  readonly webSearch?: { readonly maxRounds: number };
}

/** How long an answer is expected to be, within the bounds there are: a page of text. */
const usualOutput = 500;

/** Tokens at most of the function by which a model searches. */
const searchToolTokens = 1_000;

/**
 * The expected usage of a request for text. `size` is the UTF-8 bytes of all that is to be read.
 * @param maySearch whether the gateway may make its web searches
 */
export function expectText(
  content: PromptContent,
  size: () => number,
  answers: number | null | undefined,
  maxTokens: number | null | undefined,
  maySearch = false,
): ExpectedUsage {
  const { tools, maxUses } = content.webSearches;
  return {
    ...(maySearch && tools > 0 && { webSearches: { maxUses, max: () => maxWithoutTools(content, tools, size()) } }),
    expected: { input: toQuantity(quickTokens(content)) },
    max() {
      const input = maxInputTokens(content, size());
      const { searches } = content;
      return {
        ...(input !== null && { input: toQuantity(input) }),
        ...(searches > 0 && { web_search: toQuantity(searches) }),
      };
    },
    writes: {
      answers: Math.max(1, toQuantity(answers ?? 1)),
      maxTokens: maxTokens === null || maxTokens === undefined ? null : toQuantity(maxTokens),
    },
  };
}

/** The upper bounds if the provider does not run so many of its tools. */
function maxWithoutTools(content: PromptContent, tools: number, size: number): Quantities | null {
  const input = maxInputTokens({ ...content, hostedTools: content.hostedTools - tools }, size);
  return input === null ? {} : { input: toQuantity(input + searchToolTokens) };
}

/** The searches that the gateway makes at most for one answer of a model. */
export function maxWebSearches({ webSearches }: ExpectedUsage, { webSearch }: ModelLimits): number {
  if (webSearches === undefined || webSearch === undefined) return 0;
  return Math.max(1, Math.min(webSearch.maxRounds, webSearches.maxUses ?? Infinity));
}

/** The usage of a request that uses nothing. */
export const noUsageExpected: ExpectedUsage = { expected: {}, max: () => ({}), writes: null };

/** Tokens of all answers at most, in all rounds; null if neither the request nor the model bounds them. */
export function maxOutput(usage: ExpectedUsage, limits: ModelLimits): number | null {
  if (usage.writes === null) return 0;
  const one = maxOfAnswer(usage.writes, limits);
  return one === Infinity ? null : toQuantity(one * usage.writes.answers * (1 + maxWebSearches(usage, limits)));
}

function maxOfAnswer({ maxTokens }: Writing, { maxOutputTokens, contextLength }: ModelLimits): number {
  return Math.min(maxTokens ?? Infinity, maxOutputTokens ?? Infinity, contextLength ?? Infinity);
}

/**
 * Tokens that are read in all rounds of an answer at most, of `first` tokens in the first one: each reads what those before
 * it have written, and what was found.
 */
function maxInputOfRounds(first: number, written: number, searches: number, contextLength: number | null): number {
  const found = searches * maxResultBytes;
  let input = 0;
  for (let round = 0; round <= searches; round++) {
    const read = round === 0 ? first : first + round * written + found;
    input += Math.min(read, contextLength ?? Infinity);
  }
  return input;
}

/** Tokens that a model is expected to write: a page an answer, or as much less as it may. */
export function expectedOutput(usage: ExpectedUsage, limits: ModelLimits): number {
  const usual = usualOutput * (usage.writes?.answers ?? 0);
  return toQuantity(Math.min(usual, maxOutput(usage, limits) ?? usual));
}

/**
 * The max usage of a request at a model: an upper bound that is safe for holding money. Null if nothing bounds it:
 * the model lacks `max_output_tokens` or `context_length`.
 */
export function maxUsage(usage: ExpectedUsage, limits: ModelLimits): Quantities | null {
  const units = maxSearchUnits(usage, limits);
  if (units !== null) return { ...usage.max(), web_search: units };
  const searches = maxWebSearches(usage, limits);
  const max = searches > 0 && usage.webSearches ? usage.webSearches.max() : usage.max();
  if (usage.writes === null) return max;
  const output = maxOutput(usage, limits);
  const { contextLength } = limits;
  const first = Math.min(max?.input ?? Infinity, contextLength ?? Infinity);
  const input =
    searches === 0 ? first : maxInputOfRounds(first, maxOfAnswer(usage.writes, limits), searches, contextLength);
  return output === null || input === Infinity ? null : { ...max, input, output };
}

/** The units that a backend may report at most for a search or a fetch; null if the request is none. */
export function maxSearchUnits({ searches, fetches }: ExpectedUsage, { searchUnits }: ModelLimits): number | null {
  if (searches !== undefined) return searchUnits?.max ?? 1;
  if (fetches === undefined) return null;
  return maxUnitsOfPages(fetches, searchUnits?.fetch ?? oneForEachPage);
}

const oneForEachPage: FetchUnits = { pagesPerUnit: 1, maxPerPage: null };

/** Everything that a request is expected to use at a model. */
export function expectedAt(usage: ExpectedUsage, limits: ModelLimits): Quantities {
  const { searches, fetches, expected } = usage;
  if (searches) return { ...expected, web_search: limits.searchUnits?.[searches] ?? 1 };
  if (fetches !== undefined) {
    return { ...expected, web_search: unitsOfPages(fetches, limits.searchUnits?.fetch ?? oneForEachPage) };
  }
  if (usage.isByPrice) return expected;
  return { ...usage.expected, output: expectedOutput(usage, limits) };
}

/**
 * Tokens to book against tokens per minute: what is read, and what may be written if that is bounded by the caller.
 * @param limits of the model that is asked, which lower the caller's
 */
export function tokensToBook(usage: ExpectedUsage, limits: ModelLimits): number {
  const read = sumOf(usage.expected, "token");
  const { writes } = usage;
  if (writes === null || writes.maxTokens === null) return read;
  return toQuantity(read + (maxOutput(usage, limits) ?? 0));
}

import { isUtf8 } from "node:buffer";
import { checkStructure } from "../dialects/exchanges/bounded-json.ts";
import { AnswerFault } from "../dialects/exchange.ts";
import { isObject, type JsonObject } from "../json/values.ts";
import { nextTurn } from "../next-turn.ts";
import type { Downgrade, ProviderAnswer } from "./answer.ts";
import { allowsHost, areRestrictive } from "./domains/domain-rules.ts";
import { filterPayload, isAllowedText } from "./domains/filter-payload.ts";
import { hostOf } from "./domains/host.ts";
import type { FittedQuery } from "./fit-query.ts";
import { type NormalizeOptions, normalizeInSteps, normalizeResults } from "./normalize/normalize-results.ts";
import { clipped } from "./normalize/plain-text.ts";
import type { SearchProvider } from "./provider.ts";
import type { SearchRequest } from "./request.ts";

/** One search put to one provider. */
export interface AskedSearch {
  readonly request: SearchRequest;
  readonly provider: SearchProvider;
  readonly fitted: FittedQuery;
  /** All that this provider does not do of it. */
  readonly downgrades: readonly Downgrade[];
}

/** A provider's answer, as far as it can be given before it is known how it was found. */
export interface FoundPages {
  readonly answer: ProviderAnswer;
  /** JSON of the results as callers see them; bytes if it is long. */
  readonly results: string | Uint8Array;
  /** The provider's own text, if the domain rules allow it. */
  readonly text: string | null;
  /** JSON of what the provider has answered, within the domain rules; null if the caller has not asked for it. */
  readonly payload: string | Uint8Array | null;
}

const decoder = new TextDecoder();

/** @throws AnswerFault */
export function readAnswer(asked: AskedSearch, bytes: Uint8Array): FoundPages {
  checkStructure(bytes);
  const body = decoder.decode(bytes);
  const payload = parsed(body);
  const answer = answerOf(asked, payload);
  const results = JSON.stringify(normalizeResults(answer.results, normalizing(asked)));
  const text = allowedAnswer(asked, answer);
  return { answer, results, text, payload: payloadOf(asked, payload, body, text) };
}

/** The same for a large answer, in steps of which each has a turn of the event loop of its own. */
export async function readLargeAnswer(asked: AskedSearch, bytes: Uint8Array): Promise<FoundPages> {
  checkStructure(bytes);
  await nextTurn();
  const body = decoder.decode(bytes);
  await nextTurn();
  const payload = parsed(body);
  await nextTurn();
  const answer = answerOf(asked, payload);
  const normalized = await normalizeInSteps(answer.results, normalizing(asked));
  const results = await writeInSteps(normalized);
  const text = allowedAnswer(asked, answer);
  await nextTurn();
  const shown = payloadOf(asked, payload, body, text);
  await nextTurn();
  // What came is not written anew, if it can stand in the middle of another text.
  const isAsItCame = shown === body && isUtf8(bytes) && bytes[0] !== byteOrderMark;
  return { answer, results, text, payload: isAsItCame ? bytes : shown && Buffer.from(shown) };
}

const byteOrderMark = 0xef;

/** JSON of a list, each item in a turn of its own. */
async function writeInSteps(items: readonly unknown[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (const item of items) {
    await nextTurn();
    pieces.push(Buffer.from(`${pieces.length === 0 ? "[" : ","}${JSON.stringify(item)}`));
  }
  await nextTurn();
  return Buffer.concat([...pieces, Buffer.from(pieces.length === 0 ? "[]" : "]")]);
}

/** @throws AnswerFault if it is no object */
function parsed(body: string): JsonObject {
  let payload: unknown = null;
  try {
    payload = JSON.parse(body);
  } catch {
    // It is no object either.
  }
  if (isObject(payload)) return payload;
  throw new AnswerFault("The provider's answer is not a JSON object.");
}

/** Whatever is wrong with an answer, the next backend is asked. */
function answerOf({ provider, fitted }: AskedSearch, payload: JsonObject): ProviderAnswer {
  try {
    return provider.readAnswer(payload, fitted.query);
  } catch (error) {
    if (error instanceof AnswerFault) throw error;
    throw new AnswerFault(`The provider's answer cannot be read: ${String(error)}`);
  }
}

function normalizing({ request, fitted }: AskedSearch): NormalizeOptions {
  return {
    rules: request.rules,
    maxResults: fitted.maxResults,
    includeContent: fitted.query.includeRawContent,
    now: request.now,
  };
}

/** Without rules it is passed on as it came. */
function payloadOf({ request }: AskedSearch, payload: JsonObject, body: string, text: string | null): string | null {
  if (!request.includeProviderPayload) return null;
  return areRestrictive(request.rules) ? JSON.stringify(filterPayload(payload, request.rules, text !== null)) : body;
}

/** Characters of a provider's own answer; a longer one is cut. */
const maxAnswer = 100_000;

/**
 * The provider's answer, if it keeps to the domain rules. Its pages are those that the provider has searched: if only some
 * domains are allowed, it must have been told which, have kept to them, and say what it cites.
 */
function allowedAnswer(
  { request: { rules }, fitted }: AskedSearch,
  { answer, results }: ProviderAnswer,
): string | null {
  if (answer === null) return null;
  const text = clipped(answer.text, maxAnswer);
  if (!areRestrictive(rules)) return text;
  const wasTold = !fitted.emulated.some((field) => field !== "max_results");
  const isAllowed = (url: string) => {
    const host = hostOf(url);
    return host !== null && allowsHost(rules, host);
  };
  const isKept = answer.citedUrls.every(isAllowed) && results.every(({ url }) => isAllowed(url));
  const isShown = rules.include === null || answer.citedUrls.length > 0;
  return wasTold && isKept && isShown && isAllowedText(text, rules) ? text : null;
}

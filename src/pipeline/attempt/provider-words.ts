import type { Exchange, UpstreamRequest } from "../../dialects/exchange.ts";
import type { ProviderWords } from "../../records/record.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import type { Provider } from "../../upstream/provider.ts";
import { quotableText } from "../../http/request-body.ts";
import { redact } from "../../upstream/redact.ts";
import { minRun, withoutQuotations } from "./quotations.ts";

/** Characters of each word kept. */
const maxMessage = 300;
const maxCode = 64;

/** An attempt as far as its words go. */
interface EndedCall {
  readonly fault: UpstreamFault | null;
  readonly candidate: Candidate;
  readonly exchange: Pick<Exchange, "request">;
}

/** The record, the log and the health of a target have the same words of a fault, which are worked out once. */
const knownWords = new WeakMap<UpstreamFault, ProviderWords>();

/** The words of a fault as far as they have been worked out; null before. */
export function knownWordsOf(fault: UpstreamFault): ProviderWords | null {
  return knownWords.get(fault) ?? null;
}

/** The words of a failed attempt; null if it did not fail. */
export function wordsOf({ fault, candidate, exchange }: EndedCall): ProviderWords | null {
  if (fault === null || fault.kind === "reader_stalled") return null;
  const { provider, model } = candidate.target;
  const words = knownWords.get(fault) ?? providerWords(fault, provider, sentText(exchange.request), model);
  knownWords.set(fault, words);
  return words;
}

/** What a provider was sent: a request without a body has it in its path. */
export function sentText({ body, path }: Pick<UpstreamRequest, "body" | "path">): string | Uint8Array {
  if (body !== null) return quotableText(body);
  return [...new URLSearchParams(path.slice(path.indexOf("?") + 1)).values()].join("\n");
}

/**
 * A fault for the operator: the provider's own code and message, or the cause. Bounded, without credentials and
 * addresses, and without what the message quotes of the request.
 * @param sent the body of the request to the provider
 * @param model the provider's own name for the model, which may be shown
 */
export function providerWords(
  fault: UpstreamFault,
  provider: Provider,
  sent: string | Uint8Array,
  model: string,
): ProviderWords {
  const { providerError } = fault;
  const code = providerError?.code ?? providerError?.type ?? fault.code;
  // The message of a status without text would only repeat the status.
  const message = providerError?.message ?? fault.excerpt ?? (fault.kind === "status" ? null : fault.message);
  return { code: code && clean(code, maxCode), message: message && clean(message, maxMessage) };

  function clean(text: string, maxLength: number): string | null {
    const words = redact(text, provider).replace(/\s+/g, " ").trim();
    // A quotation that the end cuts in two is still one.
    return withoutQuotations(words.slice(0, maxLength + minRun), sent, model)?.slice(0, maxLength) ?? null;
  }
}

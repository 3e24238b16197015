import type { ProviderWords } from "../../records/record.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { Attempt } from "./attempt.ts";
import { quotableText } from "../../http/request-body.ts";
import { redact } from "../../upstream/redact.ts";
import { minRun, withoutQuotations } from "./quotations.ts";

/** Characters of each word kept. */
const maxMessage = 300;
const maxCode = 64;

/** The words of a failed attempt; null if it did not fail. */
export function wordsOf({ fault, candidate, exchange }: Attempt): ProviderWords | null {
  if (fault === null || fault.kind === "reader_stalled") return null;
  const { provider, model } = candidate.target;
  return providerWords(fault, provider, quotableText(exchange.request.body), model);
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

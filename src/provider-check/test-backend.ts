import type { Dialects } from "../dialects/dialect.ts";
import { dialects } from "../dialects/registry.ts";
import { createHttpClient } from "../upstream/http/client.ts";
import type { Exchange, WholeAnswer } from "../dialects/exchange.ts";
import { providerWords, sentText } from "../pipeline/attempt/provider-words.ts";
import { readAnswerToError, readErrorAnswer } from "../pipeline/attempt/error-answer.ts";
import { isObject, listOrEmpty, parseBody } from "../json/values.ts";
import type { ConfiguredBackend } from "../routing/names/backend-model.ts";
import { searchExchange } from "../search/exchange.ts";
import { readSearchRequest } from "../search/read-request.ts";
import { type RejectionReason, reasonOfFault } from "../search/receipt.ts";
import { ask } from "../upstream/ask.ts";
import type { CallTools } from "../upstream/call.ts";
import { type Channel, openChannel } from "../upstream/channel.ts";
import { UpstreamFault } from "../upstream/fault.ts";

/** What one search of a backend has come to. */
export interface BackendTest {
  readonly id: string;
  readonly object: "search_backend.test";
  readonly ok: boolean;
  /** Milliseconds from the question to the whole answer, or to the failure. */
  readonly latency_ms: number;
  /** Results found; null if it failed. */
  readonly results: number | null;
  readonly error: {
    /** In the words of receipts. */
    readonly class: RejectionReason;
    /** The provider's HTTP status; null if there was none. */
    readonly status: number | null;
    /** The provider's own words, without secrets; null if it has none. */
    readonly message: string | null;
  } | null;
}

export interface TestOptions {
  readonly tools: CallTools;
  /** That of the backend's provider. */
  readonly channel: Channel;
  readonly dialects: Dialects;
  /** Null: one of the gateway's own. */
  readonly query: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const usualQuery = "open source software";
const maxResults = 3;

/**
 * Puts one real search to a backend, with the first of its keys, within its own time limit. It is no caller's: it is not
 * charged or recorded, and neither its health nor its limit of calls at once knows of it.
 * @throws a 400 if the query cannot be searched for
 */
export async function testBackend({ id, provider }: ConfiguredBackend, options: TestOptions): Promise<BackendTest> {
  const { tools, channel, now } = options;
  const dialect = options.dialects.find(provider.dialects[0] ?? "");
  const search = dialect.provides.search;
  if (!search) throw new Error(`The provider '${provider.id}' does not search.`);
  const request = readSearchRequest({ query: options.query ?? usualQuery, max_results: maxResults }, null, now, []);
  const exchange = searchExchange(request, search, maxResults, []);
  const startedTick = tools.now();
  const took = () => Math.round(tools.now() - startedTick);
  let status: number | null = null;
  try {
    const head = channel.head(exchange.request, dialect.signing, provider.apiKeys[0] ?? null);
    const reply = await ask(tools, channel, head, exchange.request.body);
    status = reply.status;
    const isGood = status >= 200 && status <= 299;
    const answer = isGood ? readWhole(exchange, reply.body) : readAnswerToError(status, [reply.body], exchange);
    if (answer === null) throw readErrorAnswer({ status, headers: { get: reply.header } }, [reply.body], exchange, now);
    return {
      id,
      object: "search_backend.test",
      ok: true,
      latency_ms: took(),
      results: countOf(answer, id),
      error: null,
    };
  } catch (fault) {
    if (!(fault instanceof UpstreamFault)) throw fault;
    const { message } = providerWords(fault, provider, sentText(exchange.request), id);
    const error = { class: reasonOfFault(fault), status, message };
    return { id, object: "search_backend.test", ok: false, latency_ms: took(), results: null, error };
  }
}

/** The same without a gateway. */
export async function testBackendAlone(backend: ConfiguredBackend, query: string | null): Promise<BackendTest> {
  const client = createHttpClient();
  const tools = { client, now: () => performance.now() };
  try {
    const channel = openChannel(client, backend.provider);
    return await testBackend(backend, { tools, channel, dialects, query, now: Date.now() });
  } finally {
    client.close();
  }
}

function readWhole(exchange: Exchange, bytes: Uint8Array): WholeAnswer {
  try {
    return exchange.readWhole(bytes);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UpstreamFault("invalid_response", message, { cause: error });
  }
}

/** The number of results that a caller would be given. */
function countOf(answer: WholeAnswer, id: string): number {
  const way = { isExplicit: true, named: id, backends: [], candidates: [id], attempts: [], hideProvider: false };
  const { body } = answer.report?.({ ...way, requestId: "" }) ?? { body: "{}" };
  const told = parseBody(body);
  return listOrEmpty(isObject(told) ? told.results : null).length;
}

import { conversationEndpoints } from "../config/defaults.ts";
import type { Dialect, Dialects } from "../dialects/dialect.ts";
import { invalidRequest } from "../errors.ts";
import { providerWords, sentText } from "../pipeline/attempt/provider-words.ts";
import { classOf } from "../routing/health/fault-class.ts";
import type { CallTools } from "../upstream/call.ts";
import type { Channel } from "../upstream/channel.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import type { Provider } from "../upstream/provider.ts";
import { askProvider, type Question, type Reading } from "./ask-provider.ts";
import { trialOf } from "./try-model.ts";

/** What one question to a provider has come to. */
export interface TestResult {
  readonly ok: boolean;
  /** Milliseconds from the question to the whole answer, or to the failure. */
  readonly latency_ms: number;
  readonly error: {
    /** A fault class, or `caller` if the provider refuses the request itself. */
    readonly class: string;
    /** The provider's HTTP status; null if there was none. */
    readonly status: number | null;
    /** The provider's own words, without secrets; null if it has none. */
    readonly message: string | null;
  } | null;
}

export interface TestTools {
  readonly tools: CallTools;
  readonly dialects: Dialects;
  /** That of the provider. */
  readonly channel: Channel;
}

/** A model as far as it can be tried. */
export interface TriedModel {
  /** The provider's own name for it. */
  readonly name: string;
  readonly endpoints: readonly string[];
  readonly maxOutputTokens: number | null;
}

/** Names of a provider's list that are told. */
const maxNames = 200;

/**
 * Asks a provider for the list of its models, with the first of its keys. Nothing is charged, and its health does not change.
 * @throws a 400 if its dialect has no such list
 */
export async function testProvider(
  provider: Provider,
  options: TestTools,
): Promise<TestResult & { readonly models: { readonly count: number; readonly names: readonly string[] } | null }> {
  const dialect = dialectOf(provider, options);
  const { modelList } = dialect;
  if (modelList === null) {
    const message = `Providers of the dialect '${dialect.name}' do not list their models, so that there is nothing to ask for free.`;
    throw invalidRequest("invalid_parameter", message, "id");
  }
  const { path, headers, read } = modelList;
  const request = { dialect: dialect.name, method: "GET", path, headers, body: "" } as const;
  const { result, answer } = await timed(provider, dialect, options, { request, read }, "");
  const models = answer && { count: answer.names.length, names: answer.names.slice(0, maxNames) };
  return { ...result, models };
}

/** Puts one tiny request to a model at a provider, which may charge it. Null if none of its endpoints can be tried so. */
export async function testTarget(
  provider: Provider,
  model: TriedModel,
  options: TestTools,
): Promise<TestResult | null> {
  const dialect = dialectOf(provider, options);
  const trial = await trialOf(dialect, model.name, model);
  if (trial === null) return null;
  return (await timed(provider, dialect, options, trial, model.name)).result;
}

/** For a model that is known by its name alone. */
export function triedModel(name: string): TriedModel {
  return { name, endpoints: conversationEndpoints, maxOutputTokens: null };
}

function dialectOf({ dialects: [name = ""] }: Provider, { dialects }: TestTools): Dialect {
  return dialects.find(name);
}

async function timed<Answer>(
  provider: Provider,
  dialect: Dialect,
  { tools, channel }: TestTools,
  question: Question<Answer>,
  model: string,
): Promise<{ readonly result: TestResult; readonly answer: Answer | null }> {
  const startedTick = tools.now();
  const credential = provider.apiKeys[0] ?? null;
  const reading: Reading<Answer> = await askProvider(
    { tools, provider, dialect, credential, origin: channel.origin },
    question,
  );
  const latency = Math.round(tools.now() - startedTick);
  if ("answer" in reading) return { result: { ok: true, latency_ms: latency, error: null }, answer: reading.answer };
  const error = errorOf(reading.fault, provider, question, model);
  return { result: { ok: false, latency_ms: latency, error }, answer: null };
}

function errorOf(fault: UpstreamFault, provider: Provider, { request }: Question<unknown>, model: string) {
  const { message } = providerWords(fault, provider, sentText(request), model);
  return { class: classOf(fault), status: fault.status, message };
}

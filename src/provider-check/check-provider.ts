import type { Config, ModelConfig } from "../config/config.ts";
import { nearestNames } from "../nearest-name.ts";
import type { Dialects } from "../dialects/dialect.ts";
import type { ListedModels, ModelList } from "../dialects/model-list.ts";
import { providerWords } from "../pipeline/attempt/provider-words.ts";
import type { CallTools } from "../upstream/call.ts";
import { quotableText } from "../http/request-body.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import type { Provider } from "../upstream/provider.ts";
import { askProvider, type Addressee as AnyAddressee, type Reading } from "./ask-provider.ts";
import { trialOf } from "./try-model.ts";

/** One thing found at a provider. A caution may be intended; a problem makes requests fail. */
export interface Finding {
  readonly level: "ok" | "caution" | "problem";
  readonly text: string;
}

export interface CheckOptions {
  readonly tools: CallTools;
  readonly dialects: Dialects;
  /** Sends one tiny request to each model, which the provider charges. */
  readonly spend: boolean;
}

interface Addressee extends AnyAddressee {
  /** That of the dialect. */
  readonly modelList: ModelList;
}

/** A model as the provider knows it, and the configured models that are served by it. */
interface Served {
  readonly name: string;
  readonly models: readonly ModelConfig[];
}

/** Asks a provider for its models with each of its keys, and tries its models if that was asked for. */
export async function checkProvider(
  provider: Provider,
  models: Config["models"],
  { tools, dialects, spend }: CheckOptions,
): Promise<Finding[]> {
  const [dialectName = ""] = provider.dialects;
  const dialect = dialects.find(dialectName);
  const { modelList } = dialect;
  if (modelList === null) return [];
  const { apiKeys } = provider;
  const credentials = apiKeys.length === 0 ? [null] : apiKeys;
  const addressees = credentials.map((credential) => ({ tools, provider, dialect, modelList, credential }));
  const faults: Finding[] = [];
  let list: ListedModels | null = null;
  for (const [index, addressee] of addressees.entries()) {
    const reading = await listModels(addressee);
    if ("answer" in reading) list = reading.answer;
    else
      faults.push(await explainFault(addressee, apiKeys.length > 1 ? `api_keys[${index}]` : "api_key", reading.fault));
  }
  if (list === null && faults.some(({ level }) => level === "problem")) return faults;

  const findings: Finding[] = [];
  if (list) findings.push({ level: "ok", text: `lists ${list.names.length} ${plural("model", list.names.length)}` });
  findings.push(...faults);
  const [first] = addressees;
  for (const served of servedBy(provider, models)) {
    const tried = spend && first ? await tryModel(first, served, list) : null;
    const finding = tried ?? (list && isUnlisted(list, served.name) ? unlisted(served, list) : null);
    if (finding) findings.push(finding);
  }
  return findings;
}

function listModels(addressee: Addressee): Promise<Reading<ListedModels>> {
  const { path, headers, read } = addressee.modelList;
  return askProvider(addressee, {
    request: { dialect: addressee.dialect.name, method: "GET", path, headers, body: "" },
    read,
  });
}

/** @param keyField where the configuration has the key that was used */
async function explainFault(addressee: Addressee, keyField: string, fault: UpstreamFault): Promise<Finding> {
  const { provider, modelList, credential } = addressee;
  const { baseUrl } = provider;
  const providerMessage = wordsOf(fault, provider, "", "");
  if (fault.kind !== "status" && fault.kind !== "invalid_response") {
    return problem(
      `cannot be reached at ${baseUrl}: ${providerMessage} Check that the server is running and that base_url is correct.`,
    );
  }
  if (isRefusal(fault)) {
    return credential === null
      ? problem(`requires a key: ${providerMessage} Set api_key.`)
      : problem(`rejects the key: ${providerMessage} Check ${keyField}, and that it belongs to this vendor.`);
  }
  if (fault.kind !== "invalid_response" && fault.status !== 404 && fault.status !== 405) {
    return problem(`does not list its models: ${providerMessage}`);
  }
  for (const other of otherBaseUrls(baseUrl, modelList.path)) {
    const reading = await listModels({ ...addressee, provider: { ...provider, baseUrl: other } });
    if ("answer" in reading || isRefusal(reading.fault)) {
      return problem(`does not answer at ${baseUrl}, but at ${other}. Set base_url: ${other}`);
    }
  }
  const remedy = "If base_url is right, try a request: tollgate check --live --spend";
  return { level: "caution", text: `does not list its models: ${providerMessage} ${remedy}` };
}

function isRefusal({ status }: UpstreamFault): boolean {
  return status === 401 || status === 403;
}

/** One tiny request. Null if the model has no endpoint that can be tried so. */
async function tryModel(addressee: Addressee, served: Served, list: ListedModels | null): Promise<Finding | null> {
  const { name, models } = served;
  const [model] = models;
  const trial = model ? await trialOf(addressee.dialect, name, model) : null;
  if (trial === null) return null;
  const reading = await askProvider(addressee, trial);
  if ("answer" in reading) return { level: "ok", text: `'${name}' answers` };
  const providerMessage = wordsOf(reading.fault, addressee.provider, quotableText(trial.request.body), name);
  return problem(
    `'${name}' fails: ${providerMessage} ${list && isUnlisted(list, name) ? remedy(served, list) : usedBy(served)}`,
  );
}

/** Ollama lists its default tag, which names may leave out. */
function isUnlisted({ names, isPartial }: ListedModels, name: string): boolean {
  return !isPartial && !names.includes(name) && !names.includes(`${name}:latest`);
}

function unlisted(served: Served, list: ListedModels): Finding {
  return {
    level: "problem",
    text: `has no '${served.name}' in its list. ${remedy(served, list)} --spend shows whether it is served nevertheless.`,
  };
}

function remedy(served: Served, { names }: ListedModels): string {
  const nearest = nearestNames(served.name, names, 3);
  const meant = nearest.length > 0 ? nearest : names.slice(0, 3);
  const shown = meant.map((name) => `'${name}'`).join(", ");
  return `${usedBy(served)}${shown === "" ? "" : ` It has ${shown}.`}`;
}

function usedBy({ models }: Served): string {
  const ids = models.slice(0, 3).map(({ id }) => `'${id}'`);
  const more = models.length > ids.length ? ` and ${models.length - ids.length} more` : "";
  return `See targets[].model of ${ids.join(", ")}${more}.`;
}

function servedBy({ id }: Provider, models: Config["models"]): Served[] {
  const byName = new Map<string, ModelConfig[]>();
  for (const model of models) {
    for (const target of model.targets) {
      if (target.provider !== id || target.model.includes("*")) continue;
      byName.set(target.model, [...(byName.get(target.model) ?? []), model]);
    }
  }
  return [...byName].map(([name, servedModels]) => ({ name, models: servedModels }));
}

/** The provider's message, as a sentence: `HTTP 404: No such model.` */
function wordsOf(fault: UpstreamFault, provider: Provider, sent: string | Uint8Array, model: string): string {
  const { message } = providerWords(fault, provider, sent, model);
  const parts = [fault.status === null ? null : `HTTP ${fault.status}`, message].filter((part) => part !== null);
  return parts.join(": ").replace(/([^.!?])$/, "$1.");
}

function problem(text: string): Finding {
  return { level: "problem", text };
}

function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/** Paths of operations that are pasted with the base URL. */
const operation = /\/(chat\/completions|completions|responses|messages|embeddings|models)$/;

/** Versions with which the base URL of one vendor ends, and that of another does not. */
const version = /(\/v1(beta)?)+(\/openai)?$/;

/**
 * The base URLs that an operator may have meant instead of this one, the likeliest first.
 * @param path what was asked below the base URL: if it begins with a version, the base URL has none
 */
export function otherBaseUrls(baseUrl: string, path: string): string[] {
  const whole = baseUrl.replace(/\/+$/, "");
  const withoutOperation = whole.replace(operation, "");
  const bare = withoutOperation.replace(version, "");
  const meant = /^\/v\d/.test(path) ? [bare] : [`${bare}/v1`, withoutOperation, bare];
  return [...new Set(meant)].filter((other) => other !== whole);
}

import { type Command, Option } from "commander";
import { isObject, type JsonObject } from "../../json/values.ts";
import { CommandFailure, exitCodes } from "../exit-codes.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { readInput, readJsonFile } from "../read-json-file.ts";

/** The options by which the fields of a backend are given. */
export interface FieldOptions extends ConfigOptions {
  readonly provider?: string;
  readonly name?: string;
  readonly baseUrl?: string;
  /** False for `--no-api-key`. */
  readonly apiKey?: string | false;
  readonly searchPrice?: string;
  readonly cost?: string;
  readonly maxResults?: number | string;
  readonly timeoutMs?: number | string;
  readonly maxInFlight?: number | string;
  readonly priority?: number | string;
  readonly weight?: number | string;
  readonly allowFallback?: boolean;
  readonly file?: string;
  readonly json?: boolean;
}

export const fieldsHelp = `
A key on the command line can be seen by other users of the machine: --api-key - reads it from standard input. The file has
the fields of a search backend in the configuration as JSON, and can also have 'api_keys' and 'headers':
  {"provider": "tavily", "api_key": "tvly-...", "search_price": 0.008, "headers": {"x-team": "search"}}`;

/** Adds the options for fields to a command. */
export function withFieldOptions(command: Command): Command {
  return command
    .option("--provider <name>", "the search provider, such as tavily")
    .option("--name <name>", "what callers may name it by, beside its id")
    .option("--base-url <url>", "the address of the provider, if not the vendor's own")
    .option("--api-key <key>", "the provider's key (- for standard input); sealed in the storage")
    .option("--no-api-key", "no key")
    .option("--search-price <usd>", "USD for one billing unit")
    .option("--cost <source>", "provider: charge what the provider says that a search has cost")
    .addOption(new Option("--max-results <n>", "clip results beyond so many").argParser(numberOrText))
    .addOption(new Option("--timeout-ms <n>", "time limit of a whole call").argParser(numberOrText))
    .addOption(new Option("--max-in-flight <n>", "calls at once").argParser(numberOrText))
    .addOption(new Option("--priority <n>", "the lowest is asked first").argParser(numberOrText))
    .addOption(new Option("--weight <n>", "its share among equal backends").argParser(numberOrText))
    .option("--allow-fallback", "others may answer a caller who has named it")
    .option("--no-allow-fallback", "only it may answer a caller who has named it")
    .option("--file <file>", "the fields as JSON (- for standard input)")
    .option("--json", "print JSON")
    .addOption(configOption());
}

/** Converts a number; what is none is refused by the rules of the configuration, with what is allowed. */
function numberOrText(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** The given fields, in the names of the configuration. Options count more than the file. */
export async function fieldsOf(options: FieldOptions): Promise<JsonObject> {
  if (options.file === "-" && options.apiKey === "-") {
    throw new CommandFailure("standard input can be either --file or --api-key", exitCodes.usage);
  }
  const inFile = options.file === undefined ? {} : await readJsonFile(options.file);
  if (!isObject(inFile)) throw new CommandFailure("the file must hold one JSON object", exitCodes.usage);
  const given = {
    provider: options.provider,
    name: options.name,
    base_url: options.baseUrl,
    api_key: await keyOf(options.apiKey),
    search_price: options.searchPrice,
    cost: options.cost,
    max_results: options.maxResults,
    timeout_ms: options.timeoutMs,
    max_in_flight: options.maxInFlight,
    priority: options.priority,
    weight: options.weight,
    allow_fallback: options.allowFallback,
  };
  return { ...inFile, ...Object.fromEntries(Object.entries(given).filter(([, field]) => field !== undefined)) };
}

/** Null removes the key; undefined keeps it. */
async function keyOf(option: string | false | undefined): Promise<string | null | undefined> {
  if (option === false) return null;
  return option === "-" ? (await readInput("-")).trim() : option;
}

import { type Command, Option } from "commander";
import { noTags, type Tags } from "../../attribution/attribution.ts";
import { systemClock } from "../../clock.ts";
import { autoPolicy } from "../../config/defaults.ts";
import type { Config } from "../../config/config.ts";
import { endpointNames } from "../../dialects/registry.ts";
import { accountId, unknownAccount } from "../accounts/account-options.ts";
import { addTag, domainScopes, endpointScopes, ipScopes, keyName, modelScopes } from "./key-options.ts";
import { keyView } from "../../access/key-view.ts";
import { operator } from "../operator.ts";
import { describeLimits, describeScopes, describeTags, describeTime } from "./describe-key.ts";
import { configOption, type ConfigOptions, duration, positiveNumber } from "../options.ts";
import { withStoredCatalog } from "../stored-catalog.ts";
import { withStorage } from "../with-storage.ts";

const help = `
Without --models, --endpoints and limits, a key may use everything without limits.

Examples:
  tollgate keys create --name alice
  tollgate keys create --name ci --models "gpt-5-mini,local/*" --endpoints chat --rpm 60 --tpm 100000 --expires 30d
  tollgate keys create --name search --tag team=search --tag env=prod
  tollgate keys create --name ops --admin --json`;

interface CreateOptions extends ConfigOptions {
  readonly name: string;
  readonly account?: string;
  readonly models?: string[];
  readonly domains?: string[];
  readonly ip?: string[];
  readonly endpoints?: string[];
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrency?: number;
  /** Milliseconds from now. */
  readonly expires?: number;
  readonly admin?: boolean;
  readonly tag?: Tags;
  readonly json?: boolean;
}

/** `tollgate keys create`: creates a key and shows it once. */
export function addCreateKey(keys: Command): void {
  keys
    .command("create")
    .description("Create an API key and show it once")
    .addOption(new Option("--name <name>", "the name of the key").makeOptionMandatory().argParser(keyName))
    .addOption(
      new Option("--account <id>", "the account that it is charged to (default: default)").argParser(accountId),
    )
    .addOption(new Option("--models <names>", "the models it may use, such as a,b/*").argParser(modelScopes))
    .addOption(
      new Option("--endpoints <names>", `the endpoints it may use: ${endpointNames.join(", ")}`).argParser(
        endpointScopes,
      ),
    )
    .addOption(
      new Option("--domains <names>", "the domains that its searches may return, such as example.com").argParser(
        domainScopes,
      ),
    )
    .addOption(
      new Option(
        "--ip <ranges>",
        "the addresses that it may be used from, such as 192.0.2.0/24,2001:db8::/32",
      ).argParser(ipScopes),
    )
    .addOption(new Option("--rpm <n>", "maximum requests per minute").argParser(positiveNumber))
    .addOption(new Option("--tpm <n>", "maximum tokens per minute").argParser(positiveNumber))
    .addOption(new Option("--concurrency <n>", "maximum concurrent requests").argParser(positiveNumber))
    .addOption(
      new Option("--expires <duration>", "how long it is valid, such as 30d (default: until disabled)").argParser(
        duration,
      ),
    )
    .option("--admin", "allow /api/admin/*")
    .addOption(new Option("--tag <name=value>", "a fixed tag of all its requests (repeatable)").argParser(addTag))
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (_options: unknown, command: Command) => create(command.optsWithGlobals<CreateOptions>()));
}

async function create(options: CreateOptions): Promise<void> {
  const { createKey } = await import("../../access/manage.ts");
  await withStorage(options, async (storage, config) => {
    const now = systemClock.now();
    const request = {
      name: options.name,
      scopes: {
        models: options.models ?? null,
        endpoints: options.endpoints ?? null,
        domains: options.domains ?? null,
        ipRanges: options.ip ?? null,
      },
      limits: {
        requestsPerMinute: options.rpm ?? null,
        tokensPerMinute: options.tpm ?? null,
        concurrentRequests: options.concurrency ?? null,
      },
      expiresAt: options.expires === undefined ? null : now + options.expires,
      admin: options.admin === true,
      ...(options.account !== undefined && { accountId: options.account }),
      tags: options.tag ?? noTags,
    };
    if (options.account !== undefined && (await storage.accounts.find(options.account)) === null) {
      throw unknownAccount(options.account);
    }
    const { apiKey, key } = await createKey(storage.keys, request, systemClock, operator());
    const scopes = options.models ?? [];
    const known = scopes.length === 0 ? config : await withStoredCatalog(storage, config);
    for (const model of unknownModels(scopes, known)) {
      console.error(`tollgate: note: no configured model matches ${model}`);
    }
    if (options.domains !== undefined) await notePublicSuffixes(options.domains);
    if (options.json === true) {
      const { id, ...rest } = keyView(apiKey, now);
      console.log(JSON.stringify({ id, key, ...rest }));
      return;
    }
    console.log(`Key:      ${key}`);
    console.log("          Store it now: it is not shown again.");
    console.log(`ID:       ${apiKey.id}`);
    console.log(`Name:     ${apiKey.name}`);
    console.log(`Account:  ${apiKey.accountId}`);
    console.log(`May use:  ${describeScopes(apiKey)}`);
    console.log(`Limits:   ${describeLimits(apiKey)}`);
    console.log(`Tags:     ${describeTags(apiKey)}`);
    console.log(`Expires:  ${apiKey.expiresAt === null ? "never" : `${describeTime(apiKey.expiresAt)} UTC`}`);
  });
}

async function notePublicSuffixes(domains: readonly string[]): Promise<void> {
  // The list of suffixes takes a while to load.
  const { isPublicSuffix } = await import("../../search/domains/public-suffix.ts");
  for (const domain of domains.filter(isPublicSuffix)) {
    console.error(`tollgate: note: ${domain} is a public suffix: anyone may have a name below it`);
  }
}

/** Scopes that no configured model or route falls under: likely a slip, but the model may come later. */
function unknownModels(scopes: readonly string[], config: Config): string[] {
  const covers = (scope: string, id: string) =>
    scope.endsWith("/*") ? id.startsWith(scope.slice(0, -1)) : id === scope;
  const ids = [...config.models, ...config.routes].map(({ id }) => id);
  const patterns = ids.filter((id) => id.endsWith("/*")).map((id) => id.slice(0, -1));
  const isServed = (scope: string) =>
    ids.some((id) => covers(scope, id)) || patterns.some((prefix) => scope.startsWith(prefix));
  return scopes.filter((scope) => !isServed(scope) && !(config.auto && scope === autoPolicy.id));
}

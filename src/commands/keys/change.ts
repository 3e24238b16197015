import { Argument, type Command, Option } from "commander";
import type { KeySettingsChange } from "../../access/manage.ts";
import { noTags, type Tags } from "../../attribution/attribution.ts";
import { systemClock } from "../../clock.ts";
import { endpointNames } from "../../dialects/registry.ts";
import { CommandFailure, exitCodes } from "../exit-codes.ts";
import { operator } from "../operator.ts";
import { configOption, type ConfigOptions, duration, positiveNumber } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import {
  addTag,
  domainScopes,
  endpointScopes,
  ipScopes,
  keyId,
  keyName,
  modelScopes,
  unknownKey,
} from "./key-options.ts";
import { printKey } from "./show.ts";

const help = `
Changes what is given and leaves the rest. Running gateways follow at once. The account of a key never changes.

Examples:
  tollgate keys change 0123456789 --rpm 120 --tpm none
  tollgate keys change 0123456789 --models "gpt-5-mini,local/*" --expires never
  tollgate keys change 0123456789 --tag team=search --tag env=prod`;

/** A value that may be none: commander takes an option's null for an empty text. */
interface OrNull<Value> {
  readonly value: Value | null;
}

interface ChangeOptions extends ConfigOptions {
  readonly name?: string;
  readonly models?: OrNull<string[]>;
  readonly endpoints?: OrNull<string[]>;
  readonly domains?: OrNull<string[]>;
  readonly ip?: OrNull<string[]>;
  readonly rpm?: OrNull<number>;
  readonly tpm?: OrNull<number>;
  readonly concurrency?: OrNull<number>;
  /** Milliseconds from now. */
  readonly expires?: OrNull<number>;
  /** `--admin` or `--no-admin`. */
  readonly admin?: boolean;
  /** False: `--no-tags`. */
  readonly tags?: boolean;
  readonly tag?: Tags;
  readonly json?: boolean;
}

/** `tollgate keys change`: changes the settings of a key. */
export function addChangeKey(keys: Command): void {
  const option = (flags: string, description: string, read: (text: string) => unknown) =>
    new Option(flags, description).argParser(read);
  keys
    .command("change")
    .description("Change the settings of an API key")
    .addArgument(new Argument("<id>", "the key's ID, as `tollgate keys list` shows it").argParser(keyId))
    .addOption(option("--name <name>", "its name", keyName))
    .addOption(option("--models <names>", "the models it may use, such as a,b/*, or all", orNull("all", modelScopes)))
    .addOption(
      option(
        "--endpoints <names>",
        `the endpoints it may use, or all: ${endpointNames.join(", ")}`,
        orNull("all", endpointScopes),
      ),
    )
    .addOption(
      option("--domains <names>", "the domains that its searches may return, or all", orNull("all", domainScopes)),
    )
    .addOption(option("--ip <ranges>", "the addresses that it may be used from, or all", orNull("all", ipScopes)))
    .addOption(option("--rpm <n>", "maximum requests per minute, or none", orNull("none", positiveNumber)))
    .addOption(option("--tpm <n>", "maximum tokens per minute, or none", orNull("none", positiveNumber)))
    .addOption(option("--concurrency <n>", "maximum concurrent requests, or none", orNull("none", positiveNumber)))
    .addOption(option("--expires <duration>", "how long it is valid from now, or never", orNull("never", duration)))
    .option("--admin", "allow /api/admin/*")
    .option("--no-admin", "do not allow /api/admin/*")
    .addOption(new Option("--tag <name=value>", "a fixed tag, in place of those before (repeatable)").argParser(addTag))
    .option("--no-tags", "remove its fixed tags")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (id: string, _options: unknown, command: Command) => {
      await change(id, command.optsWithGlobals<ChangeOptions>());
    });
}

/** `tollgate keys enable`: puts a disabled key back into use. */
export function addEnableKey(keys: Command): void {
  keys
    .command("enable")
    .description("Put a disabled API key back into use")
    .addArgument(new Argument("<id>", "the key's ID, as `tollgate keys list` shows it").argParser(keyId))
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExample:\n  tollgate keys enable 0123456789")
    .action(async (id: string, _options: unknown, command: Command) => {
      await apply(id, command.optsWithGlobals<ChangeOptions>(), { disabled: false });
    });
}

/** Reads a value, or the word that stands for none. */
function orNull<Value>(word: string, read: (text: string) => Value): (text: string) => OrNull<Value> {
  return (text) => ({ value: text === word ? null : read(text) });
}

async function change(id: string, options: ChangeOptions): Promise<void> {
  const { name, models, endpoints, domains, ip, rpm, tpm, concurrency, expires, admin, tag } = options;
  if (options.tags === false && tag !== undefined)
    throw new CommandFailure("--tag and --no-tags exclude each other", exitCodes.usage);
  const tags = options.tags === false ? noTags : tag;
  const settings: KeySettingsChange = {
    ...(name !== undefined && { name }),
    ...(admin !== undefined && { admin }),
    ...(tags !== undefined && { tags }),
    ...(expires !== undefined && { expiresAt: expires.value === null ? null : systemClock.now() + expires.value }),
    scopes: {
      ...(models !== undefined && { models: models.value }),
      ...(endpoints !== undefined && { endpoints: endpoints.value }),
      ...(domains !== undefined && { domains: domains.value }),
      ...(ip !== undefined && { ipRanges: ip.value }),
    },
    limits: {
      ...(rpm !== undefined && { requestsPerMinute: rpm.value }),
      ...(tpm !== undefined && { tokensPerMinute: tpm.value }),
      ...(concurrency !== undefined && { concurrentRequests: concurrency.value }),
    },
  };
  const { scopes, limits, ...others } = settings;
  if (Object.keys({ ...scopes, ...limits, ...others }).length === 0) {
    throw new CommandFailure("nothing to change. See: tollgate keys change --help", exitCodes.usage);
  }
  await apply(id, options, settings);
}

async function apply(id: string, options: ChangeOptions, settings: KeySettingsChange): Promise<void> {
  const { changeKey } = await import("../../access/manage.ts");
  const found = await withStorage(options, ({ keys }) => changeKey(keys, id, settings, systemClock, operator()));
  if (found === null) throw unknownKey(id);
  printKey(found, options.json === true);
}

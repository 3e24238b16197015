import { type Command, InvalidArgumentError } from "commander";
import type { BodyLogPolicy, RedactionPattern } from "../../bodies/body-log-policy.ts";
import { CommandFailure } from "../exit-codes.ts";
import { operator } from "../operator.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { accountId, unknownAccount } from "./account-options.ts";

const help = `
What is not given stays as it is. Lists are set as a whole; an empty text empties one. Running gateways take it up within a second.

Examples:
  tollgate accounts log-bodies team-a --on --retention 3d --redact-fields password,ssn
  tollgate accounts log-bodies team-a --redact-paths 'messages[0].content' --redact-patterns keys,emails
  tollgate accounts log-bodies team-a --off
  tollgate accounts log-bodies team-a --delete`;

interface LogBodiesOptions extends ConfigOptions {
  readonly on?: boolean;
  readonly off?: boolean;
  readonly retention?: string;
  readonly maxBodyBytes?: number;
  readonly maxBytes?: number;
  readonly redactFields?: readonly string[];
  readonly redactPaths?: readonly string[];
  readonly redactPatterns?: readonly string[];
  readonly delete?: boolean;
  readonly json?: boolean;
}

/** `tollgate accounts log-bodies`: whether the bodies of an account's requests are kept, and how. */
export function addLogBodies(accounts: Command): void {
  accounts
    .command("log-bodies")
    .description("Show or change whether the bodies of an account's requests are kept, and how")
    .argument("<id>", "the id of the account", accountId)
    .option("--on", "keep the bodies of requests from now on")
    .option("--off", "keep no more; what is kept stays for its retention")
    .option("--retention <duration>", "how long bodies are kept, such as 12h or 7d")
    .option("--max-body-bytes <bytes>", "what is kept of each body", wholeBytes)
    .option("--max-bytes <bytes>", "all that is kept of the account; the oldest are removed", wholeBytes)
    .option("--redact-fields <names>", "properties whose values are taken out", list)
    .option("--redact-paths <paths>", "paths whose values are taken out", list)
    .option("--redact-patterns <patterns>", "what is taken out of all texts: keys, emails, cards", list)
    .option("--delete", "delete all bodies that are kept")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (id: string, _options: unknown, own: Command) => {
      await logBodies(id, own.optsWithGlobals<LogBodiesOptions>());
    });
}

async function logBodies(id: string, options: LogBodiesOptions): Promise<void> {
  if (options.on === true && options.off === true) throw new CommandFailure("give --on or --off, not both");
  const { usualBodyLogPolicy } = await import("../../bodies/body-log-policy.ts");
  const { policyView } = await import("../../bodies/policy-view.ts");
  const shown = await withStorage(options, async ({ accounts, bodies }) => {
    if ((await accounts.find(id)) === null) throw unknownAccount(id);
    const before = await bodies.findPolicy(id);
    const changed = await changedPolicy(before, options);
    if (changed !== null) await bodies.setPolicy(id, changed, operator(), "log_bodies");
    let policy = changed ?? before ?? usualBodyLogPolicy;
    if (options.delete === true) {
      policy = { ...policy, clearedAt: Date.now() };
      await bodies.setPolicy(id, policy, operator(), "delete_bodies");
    }
    return { ...policyView(policy), kept: await bodies.usage(id) };
  });
  if (options.json === true) console.log(JSON.stringify({ object: "account.log_bodies", account: id, ...shown }));
  else {
    const { enabled, retention, max_body_bytes: each, max_bytes: all, redact, kept } = shown;
    console.log(`Bodies of the requests of the account ${id} are ${enabled ? "kept" : "not kept"}.`);
    console.log(`Retention ${retention}, ${each} bytes of each, ${all} bytes of all.`);
    const rules = [...redact.fields, ...redact.paths, ...redact.patterns];
    console.log(`Taken out: ${rules.length === 0 ? "nothing but credentials of the gateway" : rules.join(", ")}.`);
    if (options.delete === true) console.log("All that was kept is deleted.");
    else
      console.log(`Kept now: ${kept.requests} ${kept.requests === 1 ? "request" : "requests"}, ${kept.bytes} bytes.`);
  }
}

/** Null if nothing is to be changed. */
async function changedPolicy(before: BodyLogPolicy | null, options: LogBodiesOptions): Promise<BodyLogPolicy | null> {
  const { changePolicy } = await import("../../bodies/change-policy.ts");
  const { bodyLogBounds: bounds, problemOfRules, redactionPatterns } = await import("../../bodies/body-log-policy.ts");
  const { parseDuration } = await import("../../config/values/duration.ts");
  const { retention, maxBodyBytes, maxBytes, redactFields: fields, redactPaths: paths, redactPatterns } = options;
  const isPattern = (name: string): name is RedactionPattern => (redactionPatterns as readonly string[]).includes(name);
  const patterns = redactPatterns?.filter(isPattern);
  if (patterns?.length !== redactPatterns?.length) {
    throw new CommandFailure(`invalid --redact-patterns: expected some of ${redactionPatterns.join(", ")}`);
  }
  const retentionMs = retention === undefined ? undefined : (parseDuration(retention) ?? 0);
  const within = (value: number | undefined, min: number, max: number, name: string, expected: string) => {
    if (value !== undefined && (value < min || value > max)) {
      throw new CommandFailure(`invalid --${name}: expected ${expected}`);
    }
  };
  within(retentionMs, bounds.minRetentionMs, bounds.maxRetentionMs, "retention", "a duration from 1m to 365d");
  const { minBodyBytes, maxBodyBytes: most, minBytes } = bounds;
  within(maxBodyBytes, minBodyBytes, most, "max-body-bytes", `${minBodyBytes} to ${most}`);
  within(maxBytes, minBytes, bounds.maxBytes, "max-bytes", `${minBytes} to ${bounds.maxBytes}`);
  const enabled = options.on === true ? true : options.off === true ? false : undefined;
  const change = { enabled, retentionMs, maxBodyBytes, maxBytes, fields, paths, patterns };
  if (Object.values(change).every((value) => value === undefined)) return null;
  const policy = changePolicy(before, change);
  const problem = problemOfRules(policy.redact);
  if (problem !== null) throw new CommandFailure(`invalid --redact-${problem.field}: expected ${problem.expected}`);
  return policy;
}

function list(text: string): readonly string[] {
  return text === "" ? [] : text.split(",").map((each) => each.trim());
}

function wholeBytes(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Allowed: a whole number of bytes.");
}

import type { Command } from "commander";
import { GatewayError } from "../errors.ts";
import { unknownAccount } from "./accounts/account-options.ts";
import { CommandFailure, exitCodes } from "./exit-codes.ts";
import { formatTable, formatUsd } from "./format.ts";
import { keyId, unknownKey } from "./keys/key-options.ts";
import { configOption, type ConfigOptions } from "./options.ts";
import { withStorage } from "./with-storage.ts";

const help = `
Adds up the final records in the storage. --by takes hour, day, week, month, key, account, model, endpoint, status,
provider, tag:NAME, end_user and session. Times are RFC 3339, dates or Unix seconds; --from is inclusive, --to is not. Records that wait in a
gateway's journal are not in the storage yet.

Examples:
  tollgate usage
  tollgate usage --by day,model --from 2026-11-01 --time-zone Europe/Berlin
  tollgate usage --by tag:team --key 0123456789 --json`;

interface UsageOptions extends ConfigOptions {
  readonly by?: string;
  readonly from?: string;
  readonly to?: string;
  readonly timeZone?: string;
  readonly key?: string;
  readonly account?: string;
  readonly model?: string;
  readonly json?: boolean;
}

/** `tollgate usage`: what was used and what it cost. */
export function addUsage(program: Command): void {
  program
    .command("usage")
    .description("Show what was used and what it cost")
    .option("--by <names>", "what rows are told apart by (default: month,model)")
    .option("--from <time>", "the first time that counts")
    .option("--to <time>", "the first time that does not count any more")
    .option("--time-zone <zone>", "where days begin (default: UTC)")
    .option("--key <id>", "only this API key", keyId)
    .option("--account <id>", "only this account")
    .option("--model <name>", "only this model, as callers asked for it")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (_options: unknown, command: Command) => showUsage(command.optsWithGlobals<UsageOptions>()));
}

async function showUsage(options: UsageOptions): Promise<void> {
  const { readSummaryQuery } = await import("../usage/summary-query.ts");
  const { summarize } = await import("../usage/summarize.ts");
  const { encodeSummary } = await import("../usage/summary-view.ts");
  const parameters = new URLSearchParams({ by: options.by ?? "month,model" });
  for (const [name, value] of Object.entries({
    from: options.from,
    to: options.to,
    time_zone: options.timeZone,
    model: options.model,
  })) {
    if (value !== undefined) parameters.set(name, value);
  }
  const owner = { keyId: options.key ?? null, accountId: options.account ?? null };
  const { data, total, ...summary } = await reporting(async () => {
    const query = readSummaryQuery(parameters, owner, false);
    const summed = await withStorage(options, async ({ usage, keys, accounts }) => {
      const { key, account } = options;
      if (key !== undefined && (await keys.find(key)) === null) throw unknownKey(key);
      if (account !== undefined && (await accounts.find(account)) === null) throw unknownAccount(account);
      return summarize(usage, query);
    });
    return encodeSummary(summed, query);
  });
  if (options.json === true) return console.log(JSON.stringify({ ...summary, data, total }));
  const { by } = summary;
  const rows = [
    ...data.map((row) => ({ names: by.map((key) => row[key] ?? "-"), sums: row })),
    { names: by.map((_key, place) => (place === 0 ? "total" : "")), sums: total },
  ];
  const head = [...by.map((key) => key.toUpperCase()), "REQUESTS", "ERRORS", "TOKENS", "USD"];
  const lines = rows.map(({ names, sums }) => {
    const { requests, errors, total_tokens: tokens, amount_microusd: amount } = sums;
    return [...names, String(requests), String(errors), String(tokens), formatUsd(amount)];
  });
  console.log(formatTable([head, ...lines], [by.length, by.length + 1, by.length + 2, by.length + 3]));
}

/** A parameter that cannot be used is an option that cannot. */
async function reporting<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof GatewayError) throw new CommandFailure(error.message, exitCodes.usage);
    throw error;
  }
}

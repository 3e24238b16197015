import { type Command } from "commander";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { CommandFailure } from "./exit-codes.ts";
import { formatTable } from "./format.ts";
import { describeTime } from "./keys/describe-key.ts";
import { operator } from "./operator.ts";
import { configOption, type ConfigOptions } from "./options.ts";
import { reachable } from "./start/reachable.ts";
import { databaseExists, withStorage } from "./with-storage.ts";

const help = `
The gateway serves the console at /console. Links can be used once, within an hour; a new one takes the place of the one before.
Users are invited, changed and removed in the console, by its owners.

Examples:
  tollgate console link
  tollgate console reset alice@example.com
  tollgate console users`;

const maxUsers = 1_000;

interface ConsoleOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate console ...`: the ways into the console from the command line. */
export function addConsole(program: Command): void {
  const group = program
    .command("console")
    .description("Set up the console, reset a lost password, list its users")
    .addHelpText("after", help);
  group
    .command("link")
    .description("Print a link that makes the first user, an owner")
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (_options: unknown, command: Command) => link(command.optsWithGlobals<ConsoleOptions>()));
  group
    .command("reset")
    .description("Print a link that gives a user a new password")
    .argument("<email>", "the email address of the user")
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (email: string, _options: unknown, command: Command) =>
      reset(email, command.optsWithGlobals<ConsoleOptions>()),
    );
  group
    .command("users")
    .description("List the users")
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (_options: unknown, command: Command) => users(command.optsWithGlobals<ConsoleOptions>()));
}

async function link(options: ConsoleOptions): Promise<void> {
  const { issueSetUpLink } = await import("../console/links.ts");
  const { token, config } = await withStorage(options, async (storage, config) => ({
    token: await issueSetUpLink(storage.console, systemClock.now()),
    config,
  }));
  if (token === null) {
    throw new CommandFailure("there is a user already; 'tollgate console reset EMAIL' gives one a new password");
  }
  await print(config, token, options);
}

async function reset(email: string, options: ConsoleOptions): Promise<void> {
  const { issueLink } = await import("../console/links.ts");
  const { token, config } = await withStorage(
    options,
    async ({ console }, config) => {
      const user = await console.findUserByEmail(email.trim().toLowerCase());
      if (user === null) throw new CommandFailure(`there is no user '${email}'`);
      const { id: userId, name, role, accountId } = user;
      const link = { kind: "reset", email: user.email, name, role, accountId, userId } as const;
      return { token: await issueLink(console, link, { now: systemClock.now(), by: operator() }), config };
    },
    databaseExists,
  );
  await print(config, token, options);
}

async function users(options: ConsoleOptions): Promise<void> {
  const { userView } = await import("../console/user.ts");
  const found = await withStorage(options, (storage) => storage.console.listUsers(maxUsers), databaseExists);
  if (options.json === true) return console.log(JSON.stringify({ object: "list", data: found.map(userView) }));
  if (found.length === 0) return console.log("There are no users.");
  const rows = found.map(({ email, name, role, accountId, createdAt }) => {
    return [email, name, role, accountId ?? "", describeTime(createdAt)];
  });
  console.log(formatTable([["EMAIL", "NAME", "ROLE", "ACCOUNT", "CREATED (UTC)"], ...rows]));
}

async function print(config: Config, token: string, options: ConsoleOptions): Promise<void> {
  const { linkUrl } = await import("../console/links.ts");
  const url = linkUrl(addressOf(config), token);
  console.log(options.json === true ? JSON.stringify({ object: "console_link", url }) : url);
}

/** Where browsers find the gateway, as far as the configuration says. */
function addressOf({ console: { publicUrl }, server: { host, port } }: Config): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return publicUrl ?? reachable(`http://${name}:${port}`);
}

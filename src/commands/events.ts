import type { Command } from "commander";
import { Option } from "commander";
import { systemClock } from "../clock.ts";
import { eventView } from "../webhooks/event-view.ts";
import type { ListedEvent } from "../webhooks/outbox.ts";
import { formatTable } from "./format.ts";
import { describeTime } from "./keys/describe-key.ts";
import { configOption, type ConfigOptions, positiveNumber } from "./options.ts";
import { withStorage } from "./with-storage.ts";

const help = `
What webhooks are told of, newest first. An event that was given up, or that a receiver has lost, can be delivered once more.

Examples:
  tollgate events --undelivered
  tollgate events replay evt_video_01jabc`;

interface EventsOptions extends ConfigOptions {
  readonly undelivered?: boolean;
  readonly limit?: number;
  readonly json?: boolean;
}

/** `tollgate events`: the events for webhooks. */
export function addEvents(program: Command): void {
  const events = program
    .command("events")
    .description("Show what webhooks are told of, and tell them again")
    .option("--undelivered", "only events that some webhook does not have")
    .addOption(new Option("--limit <n>", "how many, newest first (default: 50)").argParser(positiveNumber))
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (_options: unknown, command: Command) => show(command.optsWithGlobals<EventsOptions>()));
  events
    .command("replay")
    .description("Tell all webhooks of an event once more")
    .argument("<id>", "the id of an event")
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (id: string, _options: unknown, command: Command) =>
      replay(id, command.optsWithGlobals<EventsOptions>()),
    );
}

async function show(options: EventsOptions): Promise<void> {
  const { undelivered = false, limit = 50 } = options;
  const found = await withStorage(options, (storage) => storage.outbox.list({ after: null, limit, undelivered }));
  if (options.json === true) {
    return console.log(JSON.stringify({ object: "list", data: found.map(eventView) }));
  }
  if (found.length === 0) return console.log("There are no events.");
  console.log(formatTable([["WHEN (UTC)", "TYPE", "ACCOUNT", "ID", "FAILED", "STATE"], ...found.map(rowOf)]));
}

function rowOf(event: ListedEvent): string[] {
  const { createdAt, kind, accountId, id, attempts } = event;
  return [describeTime(createdAt), kind, accountId, id, String(attempts), stateOf(event)];
}

function stateOf({ deliveredAt, nextAttemptAt }: ListedEvent): string {
  if (deliveredAt !== null) return "delivered";
  return nextAttemptAt === null ? "given up" : "waiting";
}

async function replay(id: string, options: EventsOptions): Promise<void> {
  const replayed = await withStorage(options, (storage) => storage.outbox.replay(id, systemClock.now()));
  if (replayed === null) throw new Error(`There is no event '${id}'.`);
  if (options.json === true) console.log(JSON.stringify(eventView(replayed)));
  else console.log(`${id} is delivered again by the next gateway that runs.`);
}

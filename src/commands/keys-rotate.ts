import { Argument, type Command, Option } from "commander";
import { systemClock } from "../clock.ts";
import { keyId, noSuchKey } from "./key-options.ts";
import { describeTime, keyView } from "./key-view.ts";
import { configOption, type ConfigOptions, durationOrNone } from "./options.ts";
import { withStorage } from "./with-storage.ts";

const help = `
The key keeps its ID, scopes, limits and records. Without --overlap the old secret stops working at once.

Examples:
  tollgate keys rotate 0123456789
  tollgate keys rotate 0123456789 --overlap 1h --json`;

interface RotateOptions extends ConfigOptions {
  /** Milliseconds. */
  readonly overlap?: number;
  readonly json?: boolean;
}

/** `tollgate keys rotate`: a new secret for a key, shown once. */
export function addRotateKey(keys: Command): void {
  keys
    .command("rotate")
    .description("Give an API key a new secret and show it, once")
    .addArgument(new Argument("<id>", "the key's ID, as `tollgate keys list` shows it").argParser(keyId))
    .addOption(
      new Option("--overlap <duration>", "how long the old secret works beside the new one").argParser(durationOrNone),
    )
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (id: string, _options: unknown, command: Command) => {
      await rotate(id, command.optsWithGlobals<RotateOptions>());
    });
}

async function rotate(id: string, options: RotateOptions): Promise<void> {
  const { rotateKey } = await import("../access/manage.ts");
  const overlapMs = options.overlap ?? 0;
  const rotated = await withStorage(options, (storage) => rotateKey(storage.keys, id, overlapMs, systemClock));
  if (rotated === null) throw noSuchKey(id);
  const { apiKey, key } = rotated;
  if (options.json === true) {
    const { id, ...rest } = keyView(apiKey, systemClock.now());
    const until = apiKey.previousExpiresAt;
    const old = { old_secret_expires_at: until === null ? null : Math.floor(until / 1000) };
    console.log(JSON.stringify({ id, key, ...rest, ...old }));
    return;
  }
  console.log(`Key:  ${key}`);
  console.log("      Keep it safe: it is shown only now.");
  console.log(`ID:   ${apiKey.id}`);
  const until = apiKey.previousExpiresAt;
  console.log(
    overlapMs === 0 || until === null
      ? "The old secret has stopped working."
      : `The old secret works until ${describeTime(until)} UTC.`,
  );
}

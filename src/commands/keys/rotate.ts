import { Argument, type Command, Option } from "commander";
import { systemClock } from "../../clock.ts";
import { keyId, unknownKey } from "./key-options.ts";
import { keyView } from "../../access/key-view.ts";
import { operator } from "../operator.ts";
import { describeTime } from "./describe-key.ts";
import { configOption, type ConfigOptions, durationOrNone } from "../options.ts";
import { withStorage } from "../with-storage.ts";

const help = `
The key keeps its ID, scopes, limits and records. Without --overlap, the old secret becomes invalid at once.

Examples:
  tollgate keys rotate 0123456789
  tollgate keys rotate 0123456789 --overlap 1h --json`;

interface RotateOptions extends ConfigOptions {
  /** Milliseconds. */
  readonly overlap?: number;
  readonly json?: boolean;
}

/** `tollgate keys rotate`: gives a key a new secret and shows it once. */
export function addRotateKey(keys: Command): void {
  keys
    .command("rotate")
    .description("Give an API key a new secret and show it once")
    .addArgument(new Argument("<id>", "the key's ID, as `tollgate keys list` shows it").argParser(keyId))
    .addOption(new Option("--overlap <duration>", "how long the old secret stays valid").argParser(durationOrNone))
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (id: string, _options: unknown, command: Command) => {
      await rotate(id, command.optsWithGlobals<RotateOptions>());
    });
}

async function rotate(id: string, options: RotateOptions): Promise<void> {
  const { rotateKey } = await import("../../access/manage.ts");
  const overlapMs = options.overlap ?? 0;
  const rotated = await withStorage(options, (storage) =>
    rotateKey(storage.keys, id, overlapMs, systemClock, operator()),
  );
  if (rotated === null) throw unknownKey(id);
  const { apiKey, key } = rotated;
  if (options.json === true) {
    const { id, ...rest } = keyView(apiKey, systemClock.now());
    console.log(JSON.stringify({ id, key, ...rest }));
    return;
  }
  console.log(`Key:  ${key}`);
  console.log("      Store it now: it is not shown again.");
  console.log(`ID:   ${apiKey.id}`);
  const until = apiKey.previousExpiresAt;
  console.log(
    overlapMs === 0 || until === null
      ? "The old secret is no longer valid."
      : `The old secret is valid until ${describeTime(until)} UTC.`,
  );
}

import { type Command, Option } from "commander";
import { GatewayError } from "../errors.ts";
import { putRoute } from "../routing/stored/change-routes.ts";
import { CommandFailure, exitCodes } from "./exit-codes.ts";
import { configOption, type ConfigOptions } from "./options.ts";
import { changeTools } from "./route-tools.ts";
import { withStorage } from "./with-storage.ts";

const help = `
The file holds what the configuration says of a route, without its id, as JSON:
  {"strategy": "priority", "targets": ["gpt-5-mini", {"model": "claude-haiku", "weight": 2}], "hedge_after_ms": 1500}

Examples:
  tollgate routes set fast --alias gpt-5-mini
  tollgate routes set resilient --file route.json
  echo '{"targets": ["a", "b"]}' | tollgate routes set either --file -`;

const mostBytes = 64 * 1024;

interface SetOptions extends ConfigOptions {
  readonly alias?: string;
  readonly file?: string;
}

/** `tollgate routes set`: a stored route, new or changed. */
export function addSetRoute(routes: Command): void {
  routes
    .command("set")
    .description("Add a route to the storage, or change one")
    .argument("<id>", "the name that callers ask for")
    .addOption(new Option("--alias <name>", "the model or route it is another name of").conflicts("file"))
    .option("--file <file>", "the route as JSON (- for standard input)")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<SetOptions>();
      if (options.alias === undefined && options.file === undefined) {
        command.error("error: say where the route leads: --alias <name> or --file <file>", {
          exitCode: exitCodes.usage,
        });
      }
      await set(id, options);
    });
}

async function set(id: string, options: SetOptions): Promise<void> {
  const value = options.file === undefined ? { alias: options.alias } : await readJsonFile(options.file);
  try {
    await withStorage(options, (storage, config) => putRoute(changeTools(storage, config), id, value));
  } catch (error) {
    const isWrong = error instanceof GatewayError && error.type === "invalid_request_error";
    throw isWrong ? new CommandFailure(error.message, exitCodes.usage) : error;
  }
  console.log(`The route ${id} is set. Running gateways follow within a second.`);
}

async function readJsonFile(path: string): Promise<unknown> {
  const name = path === "-" ? "standard input" : `the file ${path}`;
  const file = path === "-" ? Bun.stdin : Bun.file(path);
  const bytes = await readAtMost(file.stream(), mostBytes + 1).catch((error: unknown) => {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CommandFailure(`${name} cannot be read (${reason})`);
  });
  if (bytes.length > mostBytes) throw new CommandFailure(`${name} has more than ${mostBytes} bytes`, exitCodes.usage);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new CommandFailure(`${name} is not JSON`, exitCodes.usage);
  }
}

async function readAtMost(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    length += piece.length;
    if (length >= most) break;
  }
  return Buffer.concat(pieces);
}

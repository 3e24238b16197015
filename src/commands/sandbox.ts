import { type Command, Option } from "commander";
import { CommandFailure } from "./exit-codes.ts";
import { configOption, portNumber } from "./options.ts";
import { listenFailure } from "./listen-failure.ts";
import { awaitStopSignal } from "./stop-signal.ts";

const help = `
The sandbox answers like real providers, with scripted answers, delays and faults: a place to try a client or a
configuration without an account. Point a provider's base_url at the address it prints.

Examples:
  tollgate sandbox
  tollgate sandbox --port 0`;

interface SandboxOptions {
  readonly host: string;
  readonly port: number;
}

/** `tollgate sandbox`: the scripted upstreams as a server of their own. */
export function addSandbox(program: Command): void {
  program
    .command("sandbox")
    .description("Run the scripted upstreams as a server of their own")
    .addOption(new Option("--host <host>", "the address to listen on").default("127.0.0.1"))
    .addOption(
      new Option("--port <port>", "the port to listen on; 0 takes a free one").default(8788).argParser(portNumber),
    )
    .addOption(configOption().hideHelp())
    .addHelpText("after", help)
    .action(runSandbox);
}

async function runSandbox({ host, port }: SandboxOptions): Promise<void> {
  const signal = awaitStopSignal();
  const { startSandbox } = await import("../sandbox/server.ts");
  const sandbox = await startSandbox({ host, port }).catch((error: unknown) => {
    const reason = listenFailure(error, host, port);
    throw reason === null ? error : new CommandFailure(reason);
  });
  console.log(`The sandbox is listening on ${sandbox.url}`);
  console.log(`As a provider: { id: sandbox, dialect: openai-chat, base_url: "${sandbox.url}/v1" }`);
  await signal;
  await sandbox.stop();
}

import { type Command, Option } from "commander";
import { CommandFailure } from "./exit-codes.ts";
import { configOption, portNumber } from "./options.ts";
import { awaitStopSignal, listenFailure } from "./start/server-process.ts";

const help = `
The sandbox behaves like real providers, with scripted answers, delays and faults. Use it to try a client or a
configuration without an account: set a provider's base_url to the printed address.

Examples:
  tollgate sandbox
  tollgate sandbox --port 0`;

interface SandboxOptions {
  readonly host: string;
  readonly port: number;
}

/** `tollgate sandbox`: runs the sandbox as a separate server. */
export function addSandbox(program: Command): void {
  program
    .command("sandbox")
    .description("Run the sandbox, a server that simulates providers")
    .addOption(new Option("--host <host>", "the address to listen on").default("127.0.0.1"))
    .addOption(
      new Option("--port <port>", "the port to listen on; 0 selects a free one").default(8788).argParser(portNumber),
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

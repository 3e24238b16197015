import type { Command } from "commander";
import { CommandFailure } from "../exit-codes.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";
import { asUsageFailure, backendById, backendTools } from "./backend-tools.ts";

interface TestOptions extends ConfigOptions {
  readonly query?: string;
  readonly json?: boolean;
}

/** `tollgate search-backends test`: puts one search to a backend. */
export function addTestBackend(backends: Command): void {
  backends
    .command("test")
    .description("Put one real search to a backend, which its provider may charge")
    .argument("<id>", "its id, as `tollgate search-backends list` shows it")
    .option("--query <text>", "what to search for")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText(
      "after",
      '\nExamples:\n  tollgate search-backends test main\n  tollgate search-backends test main --query "coffee"',
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      await test(id, command.optsWithGlobals<TestOptions>());
    });
}

async function test(id: string, options: TestOptions): Promise<void> {
  const { backend, problem } = await withStorage(options, async (storage, config) => {
    const found = await backendById(backendTools(storage, config), config, id);
    if (
      !config.usesSandbox ||
      found.stored !== null ||
      !found.backend?.provider.baseUrl.includes("//sandbox.invalid")
    ) {
      return found;
    }
    const path = `POST /api/admin/search-backends/${id}/test`;
    throw new CommandFailure(`the built-in sandbox runs within the gateway: test it by ${path}`);
  });
  if (backend === null || problem !== null)
    throw new CommandFailure(`the search backend ${id} cannot be used: ${problem}`);
  const { testBackendAlone } = await import("../../provider-check/test-backend.ts");
  const result = await testBackendAlone(backend, options.query ?? null).catch(asUsageFailure);
  const { ok, latency_ms: latency, results, error } = result;
  if (options.json === true) console.log(JSON.stringify(result));
  else if (ok) console.log(`ok: ${results} ${results === 1 ? "result" : "results"} in ${latency} ms`);
  if (error === null) return;
  const words = [error.class, error.status === null ? null : `HTTP ${error.status}`, error.message];
  throw new CommandFailure(
    `the search failed after ${latency} ms: ${words.filter((word) => word !== null).join(", ")}`,
  );
}

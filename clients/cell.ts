import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DialectName } from "../test/dialects/names.testkit.ts";
import { modelOf } from "../test/dialects/gateway.testkit.ts";
import type { TestRecord } from "../test/gateway.testkit.ts";
import { type Case, type Cell, type Client, type Installed, Skip } from "./client.ts";
import { scriptedMicrousd, scriptedTokens, type SuiteGateway } from "./gateway.ts";
import { endProcessesOf, type LeftProcess } from "./left-processes.ts";
import { runProgram, tail, withServer } from "./program.ts";
import type { RefusingProxy } from "./refusing-proxy.ts";
import { readSettings } from "./settings.ts";

export interface Stage {
  readonly gateway: SuiteGateway;
  readonly proxy: RefusingProxy;
  /** For the home folders of the cells. */
  readonly folder: string;
}

export interface Result {
  readonly client: Client;
  readonly case: Case;
  readonly dialect: DialectName;
  readonly status: "pass" | "FAIL" | "skip";
  readonly reason: string | null;
  readonly milliseconds: number;
  /** Where the client wanted to go besides the gateway. */
  readonly hosts: readonly string[];
  /** What the client left running, and was ended. */
  readonly left: readonly LeftProcess[];
}

const defaultLimitMs = 120_000;
/** How long a request may take from its answer to its line in the log. */
const settleLimitMs = 3_000;

/** Runs one case of a client at a provider of one dialect. */
export async function runCell(
  client: Client,
  installed: Installed,
  testCase: Case,
  dialect: DialectName,
  stage: Stage,
): Promise<Result> {
  const started = performance.now();
  const folder = join(stage.folder, `${client.name}-${testCase.name}-${dialect}`.replaceAll(/[^\w-]+/g, "-"));
  const result = async (status: Result["status"], reason: string | null): Promise<Result> => ({
    client,
    case: testCase,
    dialect,
    status,
    reason,
    milliseconds: Math.round(performance.now() - started),
    left: await endProcessesOf(folder),
    hosts: stage.proxy.takeHosts(),
  });
  const gap = typeof testCase.skip === "string" ? testCase.skip : testCase.skip?.[dialect];
  if (gap !== undefined) return result("skip", gap);
  const limitMs = testCase.limitMs ?? defaultLimitMs;
  const signal = AbortSignal.timeout(limitMs);
  try {
    const cell = await createCell(client, installed, dialect, folder, stage, signal);
    await Promise.race([testCase.run(cell), rejectOn(signal, `not over within ${limitMs / 1000} s`)]);
    return result("pass", null);
  } catch (error) {
    if (error instanceof Skip) return result("skip", error.message);
    return result("FAIL", error instanceof Error ? error.message : String(error));
  } finally {
    await stage.gateway.removeRoutes();
  }
}

async function createCell(
  client: Client,
  installed: Installed,
  dialect: DialectName,
  folder: string,
  { gateway, proxy }: Stage,
  signal: AbortSignal,
): Promise<Cell> {
  mkdirSync(folder, { recursive: true });
  const key = await gateway.newKey(`${client.name} ${dialect}`);
  const values = { url: gateway.url, key: key.key, model: modelOf(dialect) };
  const records = () => gateway.records(key);
  const surroundings = { home: folder, proxyUrl: proxy.url, signal };
  return {
    ...values,
    installed,
    dialect,
    folder,
    signal,
    prompt: (words, script = {}) => `${words} [[sandbox: ${JSON.stringify({ tokens: scriptedTokens, ...script })}]]`,
    run: (command, options = {}) => runProgram(command, options, surroundings),
    withServer: (command, url, options, use) => withServer(command, url, options, surroundings, use),
    settings: (heading, label) => readSettings(heading, label, values),
    putRoutes: (yaml) => gateway.putRoutes(yaml),
    records,
    async expectCharges(scripted, refused = 0) {
      const limit = performance.now() + settleLimitMs;
      while ((await records()).filter(isScripted).length < scripted && performance.now() < limit) await Bun.sleep(20);
      const all = await records();
      const summary = tail(JSON.stringify(all.map(summarise)), 1_500);
      const refusals = all.filter(({ status }) => status === "refused");
      assert.equal(refusals.length, refused, `refused requests, of these: ${summary}`);
      for (const { status, billing } of all) {
        if (status === "refused") continue;
        assert.deepEqual([status, billing.status], ["succeeded", "charged"], `a request failed: ${summary}`);
      }
      assert.equal(all.filter(isScripted).length, scripted, `scripted requests, of these: ${summary}`);
    },
  };
}

function isScripted({ usage, billing }: TestRecord): boolean {
  return (
    usage.prompt_tokens === scriptedTokens.input &&
    usage.completion_tokens === scriptedTokens.output &&
    usage.measurement?.output === "provider" &&
    billing.amount_microusd === scriptedMicrousd
  );
}

function summarise({ endpoint, status, error, usage, billing }: TestRecord): object {
  const { prompt_tokens, completion_tokens } = usage;
  return { endpoint, status, error, prompt_tokens, completion_tokens, charged: billing.amount_microusd };
}

function rejectOn(signal: AbortSignal, reason: string): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error(reason)));
  });
}

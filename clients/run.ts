/** The client suite. What it does is in README.md beside it. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTable } from "../test/sdk/table.testkit.ts";
import { type Result, runCell, type Stage } from "./cell.ts";
import { type Choice, findClients, help, parseChoice } from "./choice.ts";
import { type Case, type Client, type Installed, Skip } from "./client.ts";
import type { DialectName } from "../test/dialects/names.testkit.ts";
import { startSuiteGateway } from "./gateway.ts";
import { describe, endProcessesOf } from "./left-processes.ts";
import { startRefusingProxy } from "./refusing-proxy.ts";

/** Kept between runs, so that only the first one downloads. */
const installFolder = join(import.meta.dir, "..", "data", "clients");

async function runClient(client: Client, choice: Choice, stage: Stage): Promise<Result[]> {
  const results: Result[] = [];
  const installed = await install(client);
  for (const testCase of client.cases.filter(({ name }) => name.includes(choice.caseName))) {
    for (const dialect of choice.dialects) {
      const result =
        installed instanceof Error
          ? notInstalled(client, testCase, dialect, installed)
          : await runCell(client, installed, testCase, dialect, stage);
      say(result);
      results.push(result);
    }
  }
  return results;
}

function notInstalled(client: Client, testCase: Case, dialect: DialectName, error: Error): Result {
  const status = error instanceof Skip ? "skip" : "FAIL";
  return { client, case: testCase, dialect, status, reason: error.message, milliseconds: 0, hosts: [], left: [] };
}

function say({ client, case: testCase, dialect, status, reason, milliseconds }: Result): void {
  const words = `${status}  ${client.title}, ${testCase.name}, at ${dialect} (${milliseconds} ms)`;
  console.log(status === "FAIL" ? `${words}\n      ${reason}` : words);
}

async function install(client: Client): Promise<Installed | Error> {
  const folder = join(installFolder, client.name);
  mkdirSync(folder, { recursive: true });
  try {
    const installed = await client.install(folder);
    console.log(`\n${client.title} ${installed.version}`);
    return installed;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function tableOf(results: readonly Result[], columns: readonly DialectName[]): string {
  const table = createTable("client and case \\ provider", columns);
  for (const { client, case: testCase, dialect, status, reason, hosts, left } of results) {
    table.set(`${client.title}: ${testCase.name}`, dialect, status);
    if (reason !== null) table.note(`${status} ${client.title}, ${testCase.name}: ${oneLine(reason)}`);
    for (const { command } of left) table.note(`${client.title} left a process running, which was ended: ${command}`);
    for (const host of hosts) table.note(`${client.title} also wanted to reach ${host}, and was refused`);
  }
  return table.write();
}

function oneLine(reason: string): string {
  const [line = ""] = reason.split("\n");
  return line.length > 200 ? `${line.slice(0, 200)} ...` : line;
}

async function runAll(choice: Choice): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-clients-"));
  const proxy = await startRefusingProxy();
  const gateway = await startSuiteGateway(join(folder, "gateway"));
  const stop = async () => {
    await gateway.stop();
    proxy.stop();
    const left = await endProcessesOf(folder);
    rmSync(folder, { recursive: true, force: true });
    return left;
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  }
  try {
    const results: Result[] = [];
    for (const client of choice.clients) results.push(...(await runClient(client, choice, { gateway, proxy, folder })));
    const count = (status: Result["status"]) => results.filter((result) => result.status === status).length;
    console.log(`\n${tableOf(results, choice.dialects)}`);
    console.log(`\n${count("pass")} passed, ${count("FAIL")} failed, ${count("skip")} skipped`);
    const left = await stop();
    console.log(left.length === 0 ? "no process is left" : `left at the end, and ended: ${describe(left)}`);
    return count("FAIL") === 0 && results.length > 0 && left.length === 0 ? 0 : 1;
  } catch (error) {
    await stop();
    throw error;
  }
}

try {
  const choice = parseChoice(process.argv.slice(2), await findClients());
  if (choice === null) console.log(help);
  process.exit(choice === null ? 0 : await runAll(choice));
} catch (error) {
  console.error(`clients: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

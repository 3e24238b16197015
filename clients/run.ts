/**
 * The client suite: `npm run clients` installs the pinned real clients and runs each of them through a gateway at a
 * provider of every dialect; `npm run clients -- codex claude` runs a choice. See README.md beside it.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Glob } from "bun";
import { dialects } from "../test/dialects/gateway.ts";
import { createTable } from "../test/sdk/table.ts";
import { type Result, runCell, type Stage } from "./cell.ts";
import { type Client, type Installed, Skip } from "./client.ts";
import { startSuiteGateway } from "./gateway.ts";
import { startRefusingProxy } from "./refusing-proxy.ts";

/** Kept between runs, so that only the first one downloads. */
const installFolder = join(import.meta.dir, "..", "data", "clients");

/** The clients by name: each in a folder of its own, at any depth. */
async function findClients(): Promise<Map<string, Client>> {
  const files = [...new Glob("**/client.ts").scanSync(import.meta.dir)].filter((file) => file !== "client.ts").sort();
  const found = await Promise.all(
    files.map(async (file) => {
      const { client } = (await import(join(import.meta.dir, file))) as { readonly client: Client };
      if (client.name !== basename(dirname(file))) throw new Error(`${file} must be in a folder '${client.name}'`);
      return [client.name, client] as const;
    }),
  );
  return new Map(found);
}

async function runClient(client: Client, stage: Stage): Promise<Result[]> {
  const results: Result[] = [];
  const say = (result: Result) => {
    const { status, dialect, milliseconds, reason } = result;
    const words = `${status}  ${client.title}, ${result.case.name}, at ${dialect} (${milliseconds} ms)`;
    console.log(reason === null ? words : `${words}: ${reason}`);
    results.push(result);
  };
  const installed = await install(client);
  for (const testCase of client.cases) {
    for (const dialect of dialects) {
      if (installed instanceof Error) {
        const status = installed instanceof Skip ? "skip" : "FAIL";
        say({ client, case: testCase, dialect, status, reason: installed.message, milliseconds: 0, hosts: [] });
      } else {
        say(await runCell(client, installed, testCase, dialect, stage));
      }
    }
  }
  return results;
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

function tableOf(results: readonly Result[]): string {
  const table = createTable("client and case \\ provider", dialects);
  for (const { client, case: testCase, dialect, status, reason, hosts } of results) {
    const row = `${client.title}: ${testCase.name}`;
    table.set(row, dialect, status);
    if (reason !== null) table.note(`${status} ${row} at ${dialect}: ${reason}`);
    if (hosts.length > 0) table.note(`${client.title} also wanted to reach ${hosts.join(", ")}, and was refused`);
  }
  return table.write();
}

async function main(): Promise<number> {
  const clients = await findClients();
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !clients.has(name));
  if (unknown.length > 0) {
    console.error(`clients: no client '${unknown.join("', '")}'. There are: ${[...clients.keys()].join(", ")}`);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), "tollgate-clients-"));
  const proxy = await startRefusingProxy();
  const gateway = await startSuiteGateway(join(folder, "gateway"));
  const stop = async () => {
    await gateway.stop();
    proxy.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(130)));
  }
  try {
    const results: Result[] = [];
    for (const [name, client] of clients) {
      if (names.length > 0 && !names.includes(name)) continue;
      results.push(...(await runClient(client, { gateway, proxy, folder })));
    }
    const count = (status: Result["status"]) => results.filter((result) => result.status === status).length;
    console.log(`\n${tableOf(results)}`);
    console.log(`\n${count("pass")} passed, ${count("FAIL")} failed, ${count("skip")} skipped`);
    return count("FAIL") === 0 && results.length > 0 ? 0 : 1;
  } finally {
    await stop();
  }
}

process.exit(await main());

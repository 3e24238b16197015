import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { Glob } from "bun";
import { dialects } from "../test/dialects/gateway.testkit.ts";
import type { DialectName } from "../test/dialects/names.testkit.ts";
import type { Client } from "./client.ts";

/** What to run. */
export interface Choice {
  readonly clients: readonly Client[];
  readonly dialects: readonly DialectName[];
  /** A part of the names of the cases. */
  readonly caseName: string;
}

/** The clients by name: each in a folder of its own, at any depth. */
export async function findClients(): Promise<Map<string, Client>> {
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

export const help = `npm run clients -- [CLIENT...] [--at DIALECT] [--case WORDS]

  CLIENT         a folder of clients/; default: all
  --at DIALECT   only at the provider of this dialect: ${dialects.join(", ")}
  --case WORDS   only cases with these words in their names`;

/** Reads the command line. Null if only the help is asked for. Throws for an unknown name. */
export function parseChoice(args: string[], clients: ReadonlyMap<string, Client>): Choice | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { at: { type: "string" }, case: { type: "string", default: "" }, help: { type: "boolean" } },
  });
  if (values.help) return null;
  const names = positionals.length > 0 ? positionals : [...clients.keys()];
  return {
    clients: names.map((name) => {
      const client = clients.get(name);
      if (!client) throw new Error(`no client '${name}': there are ${[...clients.keys()].join(", ")}`);
      return client;
    }),
    dialects: values.at === undefined ? dialects : [dialectNamed(values.at)],
    caseName: values.case,
  };
}

function dialectNamed(name: string): DialectName {
  const dialect = dialects.find((one) => one === name);
  if (dialect === undefined) throw new Error(`no dialect '${name}': there are ${dialects.join(", ")}`);
  return dialect;
}

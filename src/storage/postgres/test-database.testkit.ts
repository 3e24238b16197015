import { Client } from "pg";
import { startPostgres } from "../../../scripts/postgres.ts";

/** An empty database for one test file, on the Postgres of the whole run or one of its own. */
export async function createTestDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const server = await startPostgres();
  const name = `test_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  await execute(server.url, `create database ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await execute(server.url, `drop database ${name} with (force)`);
      await server.stop();
    },
  };
}

/** Runs one statement by a connection of its own, and gives its rows. */
export async function execute(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

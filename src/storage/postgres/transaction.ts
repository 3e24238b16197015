import type { Pool, PoolClient } from "pg";

/** Runs statements in one transaction, on a connection of their own. A connection that fails is not used again. */
export async function inTransaction<Result>(pool: Pool, run: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let failure: Error | boolean = true;
  try {
    await client.query("begin");
    const result = await run(client);
    await client.query("commit");
    failure = false;
    return result;
  } catch (error) {
    failure = await client.query("rollback").then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    client.release(failure);
  }
}

import { afterAll, beforeAll, describe } from "bun:test";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../gateway.testkit.ts";

/** Runs the same tests against a gateway on SQLite and against one on Postgres. */
export function onEachStorage(options: TestGatewayOptions, tests: (gateway: () => TestGateway) => void): void {
  describe.each(["SQLite", "Postgres"])("on %s", (storage) => {
    let database: Awaited<ReturnType<typeof createTestDatabase>> | null = null;
    let gateway: TestGateway;
    beforeAll(async () => {
      if (storage === "Postgres") database = await createTestDatabase();
      gateway = await startTestGateway({ ...options, ...(database && { storageUrl: database.url }) });
    }, 120_000);
    afterAll(async () => {
      await gateway.stop();
      await database?.drop();
    });
    tests(() => gateway);
  });
}

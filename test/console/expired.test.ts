import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { startTestGateway } from "../gateway.testkit.ts";
import { until } from "../until.testkit.ts";

test("challenges that nobody answered are removed, also if nobody signs in", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-expired-"));
  const first = await startTestGateway({ folder });
  for (let count = 0; count < 3; count++) {
    const response = await fetch(`${first.url}/console/auth/passkey/generate-authenticate-options`);
    expect(response.status).toBe(200);
  }
  await first.stop();
  const rows = () => {
    const database = new Database(first.storageUrl.replace("sqlite:", ""), { readonly: true });
    const row = database.query<{ count: number }, []>("select count(*) as count from console_verifications").get();
    database.close();
    return row?.count;
  };
  expect(rows()).toBe(3);

  const later = await startTestGateway({ folder, clock: { now: () => Date.now() + 3_600_000 } });
  await until("no challenge is left", () => rows() === 0, 3_000);
  await later.stop();
  await rm(folder, { recursive: true });
});

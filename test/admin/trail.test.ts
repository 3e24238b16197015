import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { execute } from "../../src/storage/postgres/test-database.testkit.ts";
import { type AdminGateway, onBothStorages } from "./admin.testkit.ts";

/** A change and its entry in the audit trail are made together, or not at all. */

onBothStorages((context) => {
  const send: AdminGateway["send"] = (...words) => context().send(...words);
  const isSqlite = () => context().gateway.storageUrl.startsWith("sqlite:");

  /** Runs statements by hand, as another process does. */
  async function byHand(...statements: string[]): Promise<void> {
    const { storageUrl } = context().gateway;
    if (!isSqlite()) {
      for (const statement of statements) await execute(storageUrl, statement);
      return;
    }
    const database = new Database(storageUrl.slice("sqlite:".length));
    for (const statement of statements) database.run(statement);
    database.close();
  }

  async function state() {
    const { body: keys } = await send("GET", "/keys");
    const { body: routes } = await send("GET", "/routes");
    const { body: accounts } = await send("GET", "/accounts");
    const { body: prices } = await send("GET", "/prices");
    const { body: changes } = await send("GET", "/changes");
    const { body: budgets } = await send("GET", "/budgets");
    const { body: backends } = await send("GET", "/search-backends");
    return { keys, routes, accounts, budgets, prices, changes, backends };
  }

  beforeEach(async () => {
    // One that can be removed.
    await send("POST", "/budgets", { account: "default", kind: "soft", amount_microusd: 5, per: "day" });
    if (isSqlite()) {
      await byHand("create trigger no_entries before insert on changes begin select raise(abort, 'no'); end");
      return;
    }
    await byHand(
      "create function no_entries() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$",
      "create trigger no_entries before insert on changes for each row execute function no_entries()",
    );
  });
  afterEach(async () => {
    if (isSqlite()) await byHand("drop trigger no_entries");
    else await byHand("drop trigger no_entries on changes", "drop function no_entries()");
  });

  test("a change whose entry cannot be written is refused with 503 and leaves nothing", async () => {
    const { admin, gateway } = context();
    const before = await state();
    const [budget = {}] = before.budgets.data ?? [];
    const prices = { m: { input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 } };
    for (const [method, path, body] of [
      ["POST", "/keys", { name: "new" }],
      ["PATCH", `/keys/${admin.id}`, { name: "changed" }],
      ["POST", `/keys/${admin.id}/rotate`, { overlap: "1h" }],
      ["POST", "/accounts", { id: "new" }],
      ["POST", "/accounts/default/entries", { kind: "credit", amount_microusd: 5 }],
      ["POST", "/budgets", { amount_microusd: 0, per: "total", account: "default" }],
      ["DELETE", `/budgets/${String(budget.id)}`, undefined],
      ["POST", "/prices/import?format=litellm", prices],
      ["PUT", "/routes/new", { alias: "sandbox-chat" }],
      ["POST", "/search-backends", { id: "new", provider: "tavily", api_key: "tvly-key" }],
    ] as const) {
      expect(await send(method, path, body)).toMatchObject({
        status: 503,
        body: { error: { code: "storage_unavailable" } },
      });
    }
    expect(await state()).toEqual(before);
    expect((await gateway.chat()).status).toBe(200);
  });

  test("no entry is changed or deleted, by hand neither", async () => {
    const { body } = await send("GET", "/changes");
    for (const statement of ["update changes set actor = 'nobody'", "delete from changes"]) {
      const failed = await byHand(statement).then(
        () => null,
        (error: unknown) => String(error),
      );
      expect(failed).toContain("entries of the audit trail are never changed");
    }
    expect((await send("GET", "/changes")).body).toEqual(body);
    expect(body.data?.length).toBeGreaterThan(0);
  });
});

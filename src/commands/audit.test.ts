import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { exampleKey } from "../access/key.testkit.ts";
import { endless } from "../billing/budgets/budget-period.ts";
import { exampleBudget } from "../billing/budgets/example-budget.testkit.ts";
import { tester } from "../changes/actor.testkit.ts";
import { exampleRecord, insertRecords } from "../records/example-record.testkit.ts";
import { openStorage } from "../storage/open-storage.ts";
import { createTestDatabase, execute } from "../storage/postgres/test-database.testkit.ts";
import { createCommandDirectory, type CommandDirectory } from "./command.testkit.ts";

/** A sound book, and what the audit says once someone has changed a number in one of its tables. */

const now = 1_700_000_000_000;
const tables = [
  "accounts",
  "ledger_entries",
  "leases",
  "requests",
  "keys",
  "usage_rollups",
  "usage_times",
  "usage_facet_rollups",
  "usage_facets",
  "budget_counters",
  "budget_holds",
];

const plain = exampleRecord({
  attribution: { tags: '{"team":"search"}', endUser: "user", session: "s".repeat(250) },
});
const markedUp = exampleRecord({
  billing: {
    ...plain.billing,
    amountMicrousd: 826,
    lineItems: [
      ...plain.billing.lineItems,
      {
        dimension: "markup",
        quantity: 751,
        unit: "10000_microusd",
        unitSize: 10_000,
        unitMicrousd: 1_000,
        amountMicrousd: 75,
      },
    ],
  },
});
const held = exampleRecord({ accountId: "team", heldMicrousd: 900, leaseId: "lease-1" });
const job = exampleRecord({
  accountId: "team",
  heldMicrousd: 500,
  leaseId: "lease-1",
  status: "pending",
  responseId: null,
  usage: { dimensions: [], measurement: { input: "unavailable", output: "unavailable" } },
  billing: { status: "pending", amountMicrousd: 0, pricingVersion: 3, lineItems: [] },
});

async function keepBook(url: string): Promise<void> {
  const storage = await openStorage(url);
  await storage.accounts.create(
    { id: "team", name: "T", mode: "prepaid", markupBasisPoints: 0, createdAt: now },
    tester,
  );
  const entry = { id: "ent_1", accountId: "team", createdAt: now, idempotencyKey: null, note: null, by: tester };
  await storage.accounts.post({ ...entry, kind: "credit", amountMicrousd: 10_000 });
  const times = { now, expiresAt: now + 30_000, recallUntil: now };
  const lease = { leaseId: "lease-1", accountId: "team", neededMicrousd: 3_000, wantedMicrousd: 3_000 };
  await storage.leases.take({ ...lease, ...times });
  await insertRecords(storage.records, [plain, markedUp, held, job]);
  await storage.budgets.set(budget, [{ startsAt: 0, endsAt: endless }], tester);
  const hold = { budgetId: budget.id, startsAt: 0, subject: "", amountMicrousd: 30, limitMicrousd: 1_000_000 };
  await storage.budgets.hold({ ...hold, requestId: "req_running", process: "p", expiresAt: now });
  await storage.keys.insert(exampleKey({ accountId: "team" }), tester);
  await storage.close();
}

const budget = exampleBudget({ id: "bud_1", accountId: "team" });

const entryIdOf = (record: { readonly id: string }, place: number) => `ent_${record.id.slice(4)}_${place}`;
const entry = (account: string, request: string | null, amount: number) =>
  `insert into ledger_entries (account_id, id, kind, amount_microusd, request_id, created_at)
    values ('${account}', 'ent_planted', 'charge', ${amount}, ${request === null ? "null" : `'${request}'`}, 1)`;

/** A change to one table, and what the audit says of it. */
const plants: readonly (readonly [table: string, what: string, statement: string, finding: string])[] = [
  ["accounts", "a balance", "update accounts set balance_microusd = 9250 where id = 'team'", "balance: team: "],
  ["accounts", "what is held", "update accounts set held_microusd = 501 where id = 'team'", "held: team: "],
  ["accounts", "what is leased", "update accounts set leased_microusd = 1 where id = 'team'", "leased: team: "],
  ["accounts", "an account that is gone", "delete from accounts where id = 'default'", "unknown_account: default: "],
  ["leases", "a lease", "update leases set amount_microusd = 20000", "leased: team: "],
  ["leases", "a lease of nobody", "update leases set account_id = 'nobody'", "unknown_account: lease-1: "],
  [
    "ledger_entries",
    "a charge",
    `update ledger_entries set amount_microusd = -750 where id = '${entryIdOf(plain, 2)}'`,
    `charge: ${plain.id}: `,
  ],
  [
    "ledger_entries",
    "a hold",
    `update ledger_entries set amount_microusd = -499 where id = '${entryIdOf(job, 1)}'`,
    `hold: ${job.id}: `,
  ],
  [
    "ledger_entries",
    "a charge that is gone",
    `delete from ledger_entries where id = '${entryIdOf(held, 2)}'`,
    `charge: ${held.id}: `,
  ],
  ["ledger_entries", "a credit", "update ledger_entries set amount_microusd = 1 where id = 'ent_1'", "balance: team: "],
  ["ledger_entries", "a charge of no request", entry("team", "req_none", 0), "missing_record: ent_planted: "],
  [
    "ledger_entries",
    "two charges that make good for each other",
    `update ledger_entries set amount_microusd = amount_microusd + case id when '${entryIdOf(plain, 2)}' then 1 else -1 end
      where id in ('${entryIdOf(plain, 2)}', '${entryIdOf(held, 2)}')`,
    `charge: ${plain.id}: `,
  ],
  [
    "ledger_entries",
    "a hold of no request that was released",
    `insert into ledger_entries (account_id, id, kind, amount_microusd, request_id, created_at)
      values ('team', 'ent_none_1', 'hold', -5, 'req_none', 1), ('team', 'ent_none_2', 'release', 5, 'req_none', 1)`,
    "missing_record: ent_none_2: ",
  ],
  ["ledger_entries", "an entry of nobody", entry("nobody", null, -5), "unknown_account: nobody: "],
  [
    "requests",
    "an amount",
    `update requests set amount_microusd = 752 where id = '${plain.id}'`,
    `charge: ${plain.id}: `,
  ],
  [
    "requests",
    "an amount, and the lines",
    `update requests set amount_microusd = 752 where id = '${plain.id}'`,
    `line_items: ${plain.id}: the amount is 752, its lines sum to 751`,
  ],
  [
    "requests",
    "a line",
    `update requests set body = replace(body, '2000000,500]', '2000000,501]') where id = '${plain.id}'`,
    `line_items: ${plain.id}: the line 'output' is 501, but comes to 500`,
  ],
  [
    "requests",
    "the line of a markup",
    `update requests set body = replace(body, '1000,75]', '1000,76]') where id = '${markedUp.id}'`,
    `line_items: ${markedUp.id}: the line 'markup' is 76, but comes to 75`,
  ],
  ["requests", "tokens", `update requests set input_tokens = 7 where id = '${held.id}'`, `tokens: ${held.id}: `],
  [
    "requests",
    "a hold below its charge",
    `update requests set held_microusd = 700 where id = '${held.id}'`,
    `hold: ${held.id}: the amount is 751, but only 700`,
  ],
  ["requests", "a record that is gone", `delete from requests where id = '${held.id}'`, "missing_record: ent_"],
  [
    "budget_counters",
    "what was spent",
    "update budget_counters set spent_microusd = 752",
    "budget: bud_1: the counter is 752, but the records of its period sum to 751",
  ],
  ["budget_counters", "a counter that is gone", "delete from budget_counters", "budget: bud_1: the counter is 0, "],
  [
    "budget_counters",
    "what is held",
    "update budget_counters set held_microusd = 0",
    "budget: bud_1: the counter holds 0",
  ],
  ["budget_holds", "a hold", "update budget_holds set amount_microusd = 5", "budget: bud_1: the counter holds 30"],
  [
    "usage_rollups",
    "a number of requests",
    "update usage_rollups set requests = requests + 1 where span = 900000",
    "rollup: k123456789 1699999200000 ",
  ],
  ["usage_rollups", "the sums of an hour", "update usage_rollups set sum_output = 7 where span = 3600000", "rollup: "],
  ["usage_rollups", "the sums of a day", "update usage_rollups set sum_output = 7 where span = 86400000", "rollup: "],
  ["usage_rollups", "sums that are gone", "delete from usage_rollups", "come to 0, but those of the records to "],
  [
    "usage_rollups",
    "a number of errors",
    "update usage_rollups set errors = 9 where span = 900000",
    "its errors come to 9",
  ],
  [
    "usage_times",
    "a quarter of an hour",
    "update usage_times set sum_output = 7 where span = 900000",
    "rollup: k123456789 ",
  ],
  ["usage_times", "a day", "update usage_times set errors = 7 where span = 86400000", "rollup: k123456789 "],
  [
    "usage_facet_rollups",
    "an amount",
    "update usage_facet_rollups set amount_microusd = 1",
    "rollup: k123456789 tag:team ",
  ],
  [
    "usage_facet_rollups",
    "the value of a day",
    "update usage_facet_rollups set value = 'other' where span = 86400000",
    "rollup: k123456789 ",
  ],
  [
    "usage_facets",
    "a quarter",
    "update usage_facets set amount_microusd = 1 where span = 900000",
    "rollup: k123456789 tag:team ",
  ],
  [
    "usage_facets",
    "a month",
    "update usage_facets set requests = 9 where span = 2678400000",
    "rollup: k123456789 tag:team 1698796800000 search",
  ],
  [
    "usage_facets",
    "days that are gone",
    "delete from usage_facets where span = 86400000",
    "come to 0, but those of its quarters of an hour to ",
  ],
  ["keys", "a key of nobody", "update keys set account_id = 'nobody'", "unknown_account: 0123456789: "],
];

describe.each(["SQLite", "Postgres"] as const)("tollgate audit on %s", (kind) => {
  let program: CommandDirectory;
  let environment: Record<string, string>;
  let run: (statement: string) => Promise<void>;
  let drop: (() => Promise<void>) | undefined;
  const audit = (...words: string[]) => program.run(["audit", ...words], environment);

  beforeAll(async () => {
    program = await createCommandDirectory();
    const database = kind === "Postgres" ? await createTestDatabase() : null;
    drop = async () => database?.drop();
    const path = join(program.directory, "book.db");
    const url = database?.url ?? `sqlite:${path}`;
    environment = { TOLLGATE_STORAGE_URL: url };
    run = async (statement) => {
      if (database !== null) return void (await execute(database.url, statement));
      const writer = new Database(path);
      writer.run(statement);
      writer.close();
    };
    await keepBook(url);
    // Entries cannot be changed while these are there.
    const own = "drop trigger ledger_entries_update; drop trigger ledger_entries_delete";
    await run(database === null ? own : "drop trigger ledger_entries_changed on ledger_entries");
    for (const table of tables) await run(`create table sound_${table} as select * from ${table}`);
  }, 60_000);

  afterAll(async () => {
    await program.remove();
    await drop?.();
  });

  test("finds nothing in a sound book, and ends with 0", async () => {
    const { exitCode, stdout, stderr } = await audit();
    const counts = "Looked at 2 accounts, 5 entries and 4 records.\n";
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: counts, stderr: "" });
  }, 30_000);

  test.each(plants)(
    "in %s: names %s that was changed, and ends with 1",
    async (table, _what, statement, finding) => {
      await run(statement);
      const { exitCode, stdout, stderr } = await audit();
      await run(`delete from ${table}`);
      await run(`insert into ${table} select * from sound_${table}`);
      expect([exitCode, stdout]).toEqual([1, expect.stringContaining(finding)]);
      expect(stderr).toMatch(/the book does not add up: \d+ finding/);
    },
    30_000,
  );

  test("tells a prepaid balance that does not cover its leases", async () => {
    await run("update leases set amount_microusd = 20000");
    await run("update accounts set leased_microusd = 20000 where id = 'team'");
    const { exitCode, stdout } = await audit("--json");
    expect(exitCode).toBe(1);
    const message = "a prepaid balance of 9249 does not cover 20000 on lease";
    expect(JSON.parse(stdout)).toMatchObject({ findings: 1, data: [{ kind: "overdrawn", subject: "team", message }] });
  }, 30_000);
});

test("a database that does not exist is no sound book, and is not made", async () => {
  const program = await createCommandDirectory();
  const environment = { TOLLGATE_STORAGE_URL: "sqlite:./elsewhere/tollgate.db" };
  const { exitCode, stderr } = await program.run(["audit"], environment);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: "tollgate: there is no database at ./elsewhere/tollgate.db\n",
  });
  expect(await Bun.file(join(program.directory, "elsewhere/tollgate.db")).exists()).toBe(false);
  await program.remove();
}, 60_000);

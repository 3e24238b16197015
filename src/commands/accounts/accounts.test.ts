import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createCommandDirectory, type CommandDirectory } from "../command.testkit.ts";

let program: CommandDirectory;
beforeAll(async () => {
  program = await createCommandDirectory();
});
afterAll(() => program.remove());

async function json(line: string, ...more: string[]) {
  const { exitCode, stdout, stderr } = await program.run([...line.split(" "), ...more, "--json"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
}

async function failure(line: string): Promise<readonly [exitCode: number, stderr: string]> {
  const { exitCode, stderr } = await program.run(line.split(" "));
  return [exitCode, stderr];
}

describe("tollgate accounts", () => {
  test("an account is created, credited, debited and shown, and its ledger sums to its balance", async () => {
    const made = await json("accounts create team-a --prepaid --markup-percent -12.5 --name", "Team A");
    expect(made).toEqual({
      object: "account",
      id: "team-a",
      name: "Team A",
      mode: "prepaid",
      markup_percent: -12.5,
      currency: "USD",
      balance_microusd: 0,
      held_microusd: 0,
      available_microusd: 0,
      leased_microusd: 0,
      created_at: expect.any(Number),
      tags: null,
    });
    const credit = "accounts credit team-a --usd 25.000001 --note invoice --idempotency-key k1";
    const [first, second] = [await json(credit), await json(credit)];
    expect(first).toMatchObject({ kind: "credit", amount_microusd: 25_000_001, repeated: false, note: "invoice" });
    expect(second).toEqual({ ...first, repeated: true });
    await json("accounts debit team-a --usd 5");
    expect(await json("accounts show team-a")).toMatchObject({
      balance_microusd: 20_000_001,
      available_microusd: 20_000_001,
    });
    const ledger = await json("accounts ledger team-a");
    expect(ledger).toMatchObject({ object: "list", has_more: false, next: null });
    const { data } = ledger as { data: { kind: string; amount_microusd: number; account: string }[] };
    expect(data.map(({ kind, amount_microusd }) => [kind, amount_microusd])).toEqual([
      ["adjustment", -5_000_000],
      ["credit", 25_000_001],
    ]);
    const page = await json("accounts ledger team-a --limit 1");
    expect(page.has_more).toBe(true);
    expect((await json(`accounts ledger team-a --after ${page.next}`)).data).toEqual(data.slice(1));
    const { data: all } = await json("accounts list");
    expect(all.map(({ id, mode }: { id: string; mode: string }) => [id, mode])).toEqual([
      ["default", "unlimited"],
      ["team-a", "prepaid"],
    ]);
    expect((await program.run(["accounts", "show", "team-a"])).stdout).toContain("Balance:   20.000001 USD");
    expect((await program.run(["accounts", "ledger", "team-a"])).stdout).toContain("-5.00  ");
    expect(await json("audit")).toMatchObject({ object: "audit", accounts: 2, entries: 2, findings: 0 });
  }, 60_000);

  test("the tags of an account's requests are set when it is created, and changed", async () => {
    const tags = { required: ["team", "cost-centre"], allowed: { env: ["prod", "dev"] } };
    const options = "--require-tag team --require-tag cost-centre --allow-tag env=prod,dev";
    expect((await json(`accounts create tagged ${options}`)).tags).toEqual(tags);
    expect((await json("accounts show tagged")).tags).toEqual(tags);
    const shown = (await program.run(["accounts", "show", "tagged"])).stdout;
    expect(shown).toContain("Tags:      requires team, cost-centre; env=prod,dev\n");
    const updated = await json("accounts update tagged --allow-tag env=prod");
    expect(updated).toEqual({ object: "account", id: "tagged", tags: { required: [], allowed: { env: ["prod"] } } });
    expect((await json("accounts update tagged --no-tags")).tags).toBeNull();
    expect((await json("accounts show tagged")).tags).toBeNull();

    const [exitCode, stderr] = await failure("accounts update tagged");
    expect([exitCode, stderr]).toEqual([1, "tollgate: give --require-tag or --allow-tag, or else --no-tags\n"]);
    expect((await failure("accounts update tagged --require-tag a --no-tags"))[0]).toBe(1);
    expect((await failure("accounts update nobody --require-tag a"))[1]).toContain("unknown account nobody");
    for (const option of ["--require-tag Team", "--allow-tag env", "--allow-tag env=", "--allow-tag Env=a"]) {
      expect((await failure(`accounts update tagged ${option}`))[1]).toContain("Allowed:");
    }
  }, 60_000);

  test("a key is given to an account that exists", async () => {
    await json("accounts create team-b");
    expect(await json("keys create --name one --account team-b")).toMatchObject({ account: "team-b" });
    expect(await json("keys create --name two")).toMatchObject({ account: "default" });
    expect(await failure("keys create --name three --account nobody")).toEqual([
      1,
      expect.stringContaining("unknown account nobody"),
    ]);
  }, 60_000);

  test("what cannot be booked is refused and named", async () => {
    await json("accounts create team-c --prepaid");
    await json("accounts credit team-c --usd 1 --idempotency-key k");
    const cases: readonly (readonly [line: string, exitCode: number, message: string])[] = [
      ["accounts create team-c", 1, "exists already"],
      ["accounts create -x", 2, "-x"],
      ["accounts create a/b", 2, "letters, digits"],
      ["accounts create d --markup-percent -100.01", 2, "from -100 to 10000"],
      ["accounts create d --markup-percent 0.125", 2, "2 decimals"],
      ["accounts credit team-c --usd -5", 2, "an amount in USD"],
      ["accounts credit team-c --usd 0", 2, "an amount in USD"],
      ["accounts credit team-c --usd 0.0000001", 2, "6 decimals"],
      ["accounts credit team-c --usd 1e3", 2, "an amount in USD"],
      ["accounts credit team-c --usd 9007199254.740993", 2, "an amount in USD"],
      ["accounts credit team-c", 2, "--usd"],
      ["accounts credit nobody --usd 1", 1, "unknown account nobody"],
      ["accounts show nobody", 1, "unknown account nobody"],
      ["accounts ledger nobody", 1, "unknown account nobody"],
      ["accounts debit team-c --usd 1.000001", 1, "only 1.00 USD of the account team-c are available"],
      ["accounts credit team-c --usd 2 --idempotency-key k", 1, "used for another entry: credit 1.00 USD"],
    ];
    const results = await Promise.all(cases.map(([line]) => failure(line)));
    for (const [index, [line, exitCode, message]] of cases.entries()) {
      expect([line, ...(results[index] ?? [])]).toEqual([line, exitCode, expect.stringContaining(message)]);
    }
    expect((await json("accounts show team-c")).balance_microusd).toBe(1_000_000);
  }, 60_000);

  test("whether bodies are kept is shown and changed field by field, and wrong options are named", async () => {
    await json("accounts create bodies-a");
    const usual = { enabled: false, retention: "7d", kept: { requests: 0, bytes: 0 } };
    expect(await json("accounts log-bodies bodies-a")).toMatchObject(usual);
    const on = await json("accounts log-bodies bodies-a --on --retention 12h --redact-fields", "password, ssn");
    expect(on).toMatchObject({
      account: "bodies-a",
      enabled: true,
      retention: "12h",
      redact: { fields: ["password", "ssn"] },
    });
    const off = await json("accounts log-bodies bodies-a --off --redact-patterns keys --delete");
    expect(off).toMatchObject({
      enabled: false,
      retention: "12h",
      redact: { fields: ["password", "ssn"], patterns: ["keys"] },
    });
    expect(off.cleared_at).toBeGreaterThan(1_700_000_000);
    const { data } = await json("changes --kind account --id bodies-a");
    expect(data.map(({ action }: { action: string }) => action).slice(0, 3)).toEqual([
      "delete_bodies",
      "log_bodies",
      "log_bodies",
    ]);
    const wrong = ["--on --off", "--retention 1s", "--redact-paths a..b", "--redact-patterns names", "--max-bytes 7"];
    for (const options of wrong) {
      const [exitCode, stderr] = await failure(`accounts log-bodies bodies-a ${options}`);
      expect([options, exitCode === 0]).toEqual([options, false]);
      expect(stderr).toContain(options.split(" ").at(-1)?.startsWith("--") ? "--off" : (options.split(" ")[0] ?? ""));
    }
    expect((await failure("accounts log-bodies none --on"))[1]).toContain("unknown account none");
  });
});

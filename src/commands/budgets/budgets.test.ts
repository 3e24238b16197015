import { afterAll, beforeAll, expect, test } from "bun:test";
import { createCommandDirectory, type CommandDirectory } from "../command.testkit.ts";

let program: CommandDirectory;
beforeAll(async () => {
  program = await createCommandDirectory();
});
afterAll(() => program.remove());

async function json(line: string) {
  const { exitCode, stdout, stderr } = await program.run([...line.split(" "), "--json"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
}

test("budgets are set, listed and removed", async () => {
  await json("accounts create team");
  const { id: key } = await json("keys create --name k --account team");
  const set = `budgets set --key ${key} --model gpt --tag team=search --end-user ann --usd 10.5 --per day`;
  const first = await json(`${set} --time-zone Europe/Berlin --notify 95,80`);
  expect(first).toEqual({
    object: "budget",
    id: expect.stringMatching(/^bud_[0-9a-z]{26}$/),
    scope: { account: "team", key, model: "gpt", tag: { team: "search" }, end_user: "ann" },
    amount_microusd: 10_500_000,
    per: "day",
    time_zone: "Europe/Berlin",
    kind: "hard",
    notify: [80, 95, 100],
    created_at: expect.any(Number),
    replaced: null,
  });
  const second = await json("budgets set --usd 0 --per session --soft");
  expect(second).toMatchObject({ scope: { each: "session" }, amount_microusd: 0, kind: "soft", time_zone: "UTC" });
  const { data } = await json("budgets list");
  const [{ replaced: _none, ...shownFirst }, { replaced: _neither, ...shownSecond }] = [first, second];
  expect(data).toMatchObject([
    { ...shownFirst, spent_microusd: 0, held_microusd: 0, resets_at: expect.any(Number) },
    { ...shownSecond, spent_microusd: null, held_microusd: null, resets_at: null },
  ]);
  const shown = (await program.run(["budgets", "list"])).stdout;
  expect(shown).toContain(
    `10.50 USD per day (Europe/Berlin) for the key ${key}, the model gpt, the tag team=search, the end user ann`,
  );
  expect(shown).toContain("0.00 USD a session for each session");
  expect(await json(`budgets remove ${first.id}`)).toEqual({ object: "budget", id: first.id, removed: true });
  expect((await json("budgets list")).data).toHaveLength(1);
  const { data: trail } = await json(`changes --kind budget --id ${first.id}`);
  const by = { kind: "command_line", user: expect.any(String) };
  expect(trail).toMatchObject([
    { action: "remove", by, before: { amount_microusd: 10_500_000 }, after: null },
    { action: "create", by, before: null, after: { scope: first.scope, notify: [80, 95, 100] } },
  ]);
}, 60_000);

test("a budget takes the place of one for the same requests, period and kind, and the trail has both", async () => {
  const first = await json("budgets set --end-user bob --usd 1 --per week --notify 50");
  const soft = await json("budgets set --end-user bob --usd 1 --per week --soft");
  const second = await json("budgets set --end-user bob --usd 2 --per week --time-zone Asia/Tokyo");
  expect([soft.replaced, second.replaced]).toEqual([null, first.id]);
  const ids = (await json("budgets list")).data.map(({ id }: { id: string }) => id);
  expect([first.id, soft.id, second.id].map((id) => ids.includes(id))).toEqual([false, true, true]);
  const { data: trail } = await json(`changes --kind budget --id ${second.id}`);
  expect(trail).toMatchObject([
    {
      action: "replace",
      before: { id: first.id, amount_microusd: 1_000_000, time_zone: "UTC", notify: [50, 100] },
      after: { amount_microusd: 2_000_000, time_zone: "Asia/Tokyo" },
    },
  ]);
  const again = await program.run("budgets set --end-user bob --usd 3 --per week".split(" "));
  expect(again.stdout).toContain(`in place of ${second.id}`);
}, 60_000);

test("what cannot be set is refused and named", async () => {
  const cases: readonly (readonly [line: string, exitCode: number, message: string])[] = [
    ["budgets set --per day", 2, "--usd"],
    ["budgets set --usd 1", 2, "--per"],
    ["budgets set --usd -1 --per day", 2, "an amount in USD from 0"],
    ["budgets set --usd 0.0000001 --per day", 2, "6 decimals"],
    ["budgets set --usd 9007199254.740993 --per day", 2, "an amount in USD"],
    ["budgets set --usd 1 --per year", 2, "day, week, month, session, total"],
    ["budgets set --usd 1 --per day --time-zone Mars/Olympus", 2, "Europe/Berlin"],
    ["budgets set --usd 1 --per day --each model", 2, "end_user, session, key"],
    ["budgets set --usd 1 --per session --each key", 1, "each"],
    ["budgets set --usd 1 --per day --tag team", 2, "name=value"],
    ["budgets set --usd 1 --per day --tag Team=search", 2, "name=value"],
    ["budgets set --usd 1 --per day --notify 80,x", 2, "whole percentages"],
    ["budgets set --usd 1 --per day --notify 0", 2, "whole percentages"],
    ["budgets set --usd 1 --per day --account nobody", 1, "unknown account nobody"],
    ["budgets set --usd 1 --per day --key nobody", 1, "unknown key ID nobody"],
    ["budgets remove bud_none", 1, "unknown budget bud_none"],
  ];
  for (const [line, exitCode, message] of cases) {
    const ended = await program.run(line.split(" "));
    expect([line, ended.exitCode, ended.stderr]).toEqual([line, exitCode, expect.stringContaining(message)]);
  }
}, 120_000);
